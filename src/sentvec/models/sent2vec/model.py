"""Sent2Vec: a sentence vector is the mean of learned word and n-gram vectors.

Pagliardini, Gupta and Jaggi, "Unsupervised Learning of Sentence Embeddings using Compositional
n-Gram Features", NAACL 2018. Here: from settings and a corpus to a trained model. The update is in
`kernels.sent2vec`, workers in `sent2vec_trainer`, the loop in `training.loop`, checkpoints in
`run`, encoding in `encoder`.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.sent2vec.initial import copy_vectors, opened_for_training, shaped_like
from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.models.sent2vec.trainer import (
    check_least_memory,
    check_negatives,
    keep_probabilities,
    memory_of,
    resolved,
)
from sentvec.models.sent2vec.worker import Shared, Worker
from sentvec.text.encoded import EncodedCorpus
from sentvec.text.sources import CorpusLike, open_corpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.training import matrices
from sentvec.training.batches import Schedule
from sentvec.training.progress import Listener
from sentvec.training.rounds import Rounds
from sentvec.training.runs.plan import Plan
from sentvec.training.runs.run import Run, train_run


class Sent2Vec(SentenceEncoder):
    """Sentence vectors as the mean of word and n-gram vectors learned from plain text.

    >>> text = ["the cat sat on the mat", "the dog sat on the rug"] * 50
    >>> model = Sent2Vec.train(text, dim=8, epochs=2, threads=1)
    >>> model.encode(["the cat", "the dog", "a cat"]).shape
    (3, 8)
    """

    KIND = "sent2vec"

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
    ) -> Sent2Vec:
        """Train a model on plain text, one sentence a line.

        Args:
            corpus: A path, a glob, a list of paths (plain, .gz, .xz, .bz2 or .zst), or an iterable
                of str with one sentence each.
            preset: Where settings start from, e.g. `paper/books-bigrams`; see `sentvec.PRESETS`.
            output: Folder for the model. With it, the model is saved at the end, an interrupted run
                leaves a checkpoint there, and `sentvec.resume` goes on with it.
            checkpoint_every: Also write a checkpoint every so often: `10m`, `2h`, `5%`.
            validate: Held-out text; its loss is reported after every epoch.
            validate_every: Also measure the held-out loss every so often: `10m`, `5%`.
            patience: End the training after so many epochs without a better held-out loss, and
                keep the best vectors.
            init_from: A model (or its folder) to start from. Its words keep their vectors and ids,
                so its n-grams keep their buckets; words it lacks are added, and counts add up. What
                shapes the vectors (dim, ngrams, buckets, tokenizer) is the model's.
            listener: Hears about the corpus, the memory and the progress.
            work_dir: Without `output`, where the encoded corpus is kept while training (4 bytes a
                word, 8 a sentence); by default where the system keeps temporary files.
            **settings: Fields of `Sent2VecSettings`: dim, epochs, lr, min_count, ngrams, threads,
                seed and so on. Those not given come from the preset.

        Raises:
            SettingsError, CorpusError, SourceError: Something given cannot work; nothing was done.
            StorageError: The output or the encoded corpus cannot be written, or another run is at
                work on that output.
            NotEnoughMemoryError: More memory is needed than there is; nothing was allocated.
            DivergedError: The vectors are no longer finite; the last checkpoint is kept.
        """
        chosen = Sent2VecSettings.make(preset, **settings)
        tokenizer = Tokenizer(chosen.tokenizer)
        init = opened_for_training(init_from)
        if init is not None:
            given = {name for name, value in settings.items() if value is not None}
            chosen, tokenizer = shaped_like(init, chosen, given), init.tokenizer
        tokenizer.check_available()
        check_least_memory(chosen, len(init.vocabulary) if init else 0)
        plan = Plan.make(
            output, checkpoint_every, validate, patience, work_dir, init=init,
            validate_every=validate_every,
        )  # fmt: skip
        sources = open_corpus(corpus)
        model: Sent2Vec = train_run(
            cls, sources, tokenizer, chosen.to_config(), plan, listener or Listener(),
            min_count=chosen.min_count, max_vocab=chosen.max_vocab,
        )  # fmt: skip
        return model

    @classmethod
    def _resolved(cls, settings: dict[str, Any], corpus: EncodedCorpus) -> dict[str, Any]:
        return resolved(Sent2VecSettings.from_config(settings), corpus).to_config()

    @classmethod
    def _go_on(cls, run: Run) -> tuple[dict[str, Any], dict[str, Any]]:
        """Train a run to its end; returns the matrices and what `config.json` says of them."""
        corpus, listener = run.corpus, run.listener
        settings = Sent2VecSettings.from_config(run.settings)
        counts = corpus.vocabulary.counts
        check_negatives(corpus.vocabulary)
        keep = keep_probabilities(counts, settings)
        n_words, threads = len(counts), settings.threads or 1
        buckets, dim = settings.buckets or 0, settings.dim
        rows = n_words + buckets + (settings.variant == "released")
        need = memory_of(settings, n_words, buckets, corpus.longest_sentence())
        listener.memory(need)
        need.check()
        listener.compiling()
        dtype = settings.dtype
        V, U = run.restored(
            {"input_vectors": (rows, dim, dtype), "output_vectors": (n_words, dim, dtype)}
        ) or (
            matrices.uniform(rows, dim, seed=settings.seed, threads=threads, dtype=dtype),
            matrices.zeros(n_words, dim, dtype),
        )
        if run.plan.init is not None:
            copy_vectors(run.plan.init, V, U)
        shared = Shared(counts, keep, V, U, settings, len(corpus.ids))
        rounds = None
        if settings.deterministic and threads > 1:
            rounds = Rounds([V, U], threads, settings.epochs * len(corpus.ids))
        end = run.train(
            Schedule(settings.epochs, settings.lr, settings.shuffle, settings.seed, threads),
            lambda number: Worker(shared.with_copies(rounds, number)),
            {"input_vectors": V, "output_vectors": U},
            untrained_loss=float((1 + settings.negatives) * np.log(2)),
            evaluate=lambda corpus: (Worker(shared).evaluate(corpus), {}),
            rounds=rounds,
        )
        V = V[: n_words + buckets]  # the placeholder of the released variant stays behind
        tensors = {"input_vectors": V, "output_vectors": U}
        for name, tensor in tensors.items():
            matrices.check_finite(tensor, name, f"at the end (lr {settings.lr:g} at the start)")
        sizes = {"dim": dim, "vocabulary": n_words, "buckets": buckets}
        training = {"loss": round(end.mean_loss, 6), "seconds": round(end.seconds, 2)}
        return tensors, {"sizes": sizes, "training": training}
