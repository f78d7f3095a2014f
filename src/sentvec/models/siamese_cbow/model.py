"""Siamese CBOW: word vectors that are learned to be averaged, from which sentences stand together.

Kenter, Borisov and de Rijke, "Siamese CBOW: Optimizing Word Embeddings for Sentence
Representations", ACL 2016. Here: from settings and a corpus to a trained model. The update is in
`kernels.siamese`, workers in `siamese_trainer`, the loop in `training.loop`, checkpoints in `run`,
encoding in `encoder`.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.sent2vec.initial import copy_word_vectors, opened_word_vectors
from sentvec.models.siamese_cbow.settings import SiameseCBOWSettings
from sentvec.models.siamese_cbow.trainer import (
    MIN_WORDS,
    Pairs,
    memory_of,
    resolved,
)
from sentvec.models.siamese_cbow.worker import Shared, Worker
from sentvec.text.encoded import EncodedCorpus
from sentvec.text.sources import CorpusLike, open_corpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.training import matrices
from sentvec.training.batches import Schedule
from sentvec.training.progress import Listener
from sentvec.training.runs.plan import Plan
from sentvec.training.runs.run import Run, train_run
from sentvec.training.summary import Trained


class SiameseCBOW(SentenceEncoder):
    """Sentence vectors as the mean of word vectors that were trained to predict nearby sentences.

    >>> text = ["the cat sat on the mat", "the dog sat on the rug", ""] * 50
    >>> model = SiameseCBOW.train(text, dim=8, epochs=2, threads=1)
    >>> model.encode(["the cat", "the dog", "a cat"]).shape
    (3, 8)
    """

    KIND = "siamese-cbow"

    @classmethod
    def train(
        cls,
        corpus: CorpusLike,
        *,
        preset: str | None = None,
        output: str | os.PathLike[str] | None = None,
        checkpoint_every: str | None = None,
        validate: CorpusLike | None = None,
        validate_every: str | None = None,
        patience: int | None = None,
        init_from: str | os.PathLike[str] | StoredEncoder | None = None,
        listener: Listener | None = None,
        work_dir: str | os.PathLike[str] | None = None,
        **settings: Any,
    ) -> SiameseCBOW:
        """Train a model on running text, one sentence a line, in order.

        Sentences are neighbours within a document only: a blank line (or the end of a file) ends
        one. The arguments that are not here are as in `Sent2Vec.train`.

        Args:
            corpus: A path, a glob, a list of paths (plain, .gz, .xz, .bz2 or .zst), or an iterable
                of str with one sentence each, an empty one between documents.
            preset: Where settings start from: `siamese-cbow` or `paper/siamese-cbow`.
            output: Folder for the model, and for checkpoints while it is trained.
            checkpoint_every: Also write a checkpoint every so often: `10m`, `2h`, `5%`.
            validate: Held-out text in documents; its loss is reported after every epoch.
            validate_every: Also measure the held-out loss every so often: `10m`, `5%`.
            patience: End the training after so many epochs without a better held-out loss, and
                keep the best vectors.
            init_from: A model, its folder, or a file of word vectors of any kind `sentvec.load`
                opens. Words of the corpus that are in it start with its vectors, the others at
                random; its other words are left behind. `dim` is that of the vectors.
            listener: Hears about the corpus, the memory and the progress.
            work_dir: Without `output`, where the encoded corpus is kept while training.
            **settings: Fields of `SiameseCBOWSettings`: dim, epochs, lr, negatives, temperature,
                batch, threads, seed and so on. Those not given come from the preset.

        Raises:
            SettingsError, CorpusError, SourceError: Something given cannot work; nothing was done.
            StorageError: The output or the encoded corpus cannot be written, or another run is at
                work on that output.
            NotEnoughMemoryError: More memory is needed than there is; nothing was allocated.
            DivergedError: The vectors are no longer finite; the last checkpoint is kept.
        """
        chosen = SiameseCBOWSettings.make(preset, **settings)
        vectors = opened_word_vectors(init_from, settings.get("dim"))
        if vectors is not None:
            chosen = chosen.with_values(dim=vectors.dim)
        tokenizer = Tokenizer(chosen.tokenizer)
        tokenizer.check_available()
        memory_of(chosen, MIN_WORDS).check(at_least=True)
        plan = Plan.make(
            output, checkpoint_every, validate, patience, work_dir, vectors=vectors,
            validate_every=validate_every,
        )  # fmt: skip
        model: SiameseCBOW = train_run(
            cls, open_corpus(corpus), tokenizer, chosen.to_config(), plan, listener or Listener(),
            min_count=chosen.min_count, max_vocab=chosen.max_vocab,
        )  # fmt: skip
        return model

    @classmethod
    def _resolved(cls, settings: dict[str, Any], corpus: EncodedCorpus) -> dict[str, Any]:
        return resolved(SiameseCBOWSettings.from_config(settings)).to_config()

    @classmethod
    def _go_on(cls, run: Run) -> tuple[dict[str, Any], dict[str, Any]]:
        """Train a run to its end; returns the matrix and what `config.json` says of it."""
        corpus, listener = run.corpus, run.listener
        settings = SiameseCBOWSettings.from_config(run.settings)
        pairs, counts = Pairs.of(corpus, settings), corpus.vocabulary.counts
        if run.held_out is not None:  # now, not after the first epoch
            Pairs.of(run.held_out, settings, "the held-out text")
        n_words, dim, threads = len(counts), settings.dim, settings.threads or 1
        need = memory_of(settings, n_words, pairs.longest, len(corpus.offsets))
        listener.memory(need)
        need.check()
        listener.compiling()
        arrays = _matrices(run, settings, n_words)
        V, squares = arrays["input_vectors"], arrays.get("squares", np.empty(0, np.float32))
        stats = corpus.stats
        alone = stats.sentences - stats.empty_sentences - pairs.examples
        run.trained = Trained.on_neighbours(stats, alone)
        shared = Shared(counts, V, squares.reshape(-1), pairs, settings)
        end = run.train(
            Schedule(settings.epochs, settings.lr, settings.shuffle, settings.seed, threads),
            lambda number: Worker(shared),
            arrays,
            untrained_loss=float(np.log(settings.positives + settings.negatives)),
            evaluate=lambda corpus: (Worker(shared).evaluate(corpus), {}),
            dealt=pairs.units,
        )
        matrices.check_finite(V, "input_vectors", f"at the end (lr {settings.lr:g} at the start)")
        sizes = {"dim": dim, "vocabulary": n_words, "buckets": 0}
        training = {"loss": round(end.mean_loss, 6), "seconds": round(end.seconds, 2)}
        return {"input_vectors": V}, {"sizes": sizes, "training": training}


def _matrices(run: Run, settings: SiameseCBOWSettings, n_words: int) -> dict[str, matrices.Matrix]:
    """The matrices of a run, from its checkpoint or started: vectors, and sums of squares."""
    shapes = {"input_vectors": (n_words, settings.dim, settings.dtype)}
    if settings.optimizer == "adagrad":
        shapes["squares"] = (n_words, 1, "float32")
    restored = run.restored(shapes)
    if restored is not None:
        return dict(zip(shapes, restored, strict=True))
    V = matrices.normal(
        n_words, settings.dim, deviation=settings.init_std, seed=settings.seed,
        threads=settings.threads or 1, dtype=settings.dtype,
    )  # fmt: skip
    if run.plan.vectors is not None:
        copied = copy_word_vectors(run.plan.vectors, run.corpus.vocabulary, V)
        if copied < n_words / 2:
            run.listener.warning(
                f"only {copied:,} of the {n_words:,} words of the corpus have a vector in "
                "init_from, the others start at random - check that words are cut and cased alike"
            )
    started = {"input_vectors": V}
    if "squares" in shapes:
        started["squares"] = matrices.zeros(n_words, 1)
    return started
