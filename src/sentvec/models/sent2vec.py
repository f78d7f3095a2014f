"""Sent2Vec: a sentence vector is the mean of learned word and n-gram vectors.

Pagliardini, Gupta and Jaggi, "Unsupervised Learning of Sentence Embeddings using Compositional
n-Gram Features", NAACL 2018. Here: from settings and a corpus to a trained model. The update is in
`kernels.sent2vec`, the loop in `training.loop`, encoding in `encoder`.
"""

from __future__ import annotations

import datetime
import os
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import CorpusError, StorageError
from sentvec.features import ngram_rows, placeholder_rows
from sentvec.models.encoder import SentenceEncoder
from sentvec.models.settings import Sent2VecSettings
from sentvec.text.encoded import EncodedCorpus, encode_corpus
from sentvec.text.sources import CorpusLike, open_corpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.training import loop, matrices, memory
from sentvec.training.progress import Listener
from sentvec.version import VERSION

Floats = NDArray[np.float32]

# Without a number of buckets: half a bucket per known token of the corpus, within these bounds. A
# text of n tokens has fewer than n distinct bigrams; the released program's default is the upper.
FEWEST_BUCKETS, MOST_BUCKETS = 10_000, 2_000_000
# Of a worker, for each feature of the longest sentence: 18 rows of integers, four slots, the rest.
SCRATCH_BYTES = 18 * 8 + 4 * 8 + 20


class Sent2Vec(SentenceEncoder):
    """Sentence vectors as the mean of word and n-gram vectors learned from plain text.

    >>> text = ["the cat sat on the mat", "the dog sat on the rug"] * 50
    >>> model = Sent2Vec.train(text, dim=8, epochs=2, threads=1)
    >>> model.encode(["the cat", "the dog", "a cat"]).shape
    (3, 8)
    """

    @classmethod
    def train(
        cls,
        corpus: CorpusLike,
        *,
        preset: str | None = None,
        listener: Listener | None = None,
        work_dir: str | os.PathLike[str] | None = None,
        **settings: Any,
    ) -> Sent2Vec:
        """Train a model on plain text, one sentence a line.

        Args:
            corpus: A path, a glob, a list of paths (plain, .gz, .xz, .bz2 or .zst), or an iterable
                of str with one sentence each.
            preset: Where settings start from, e.g. `paper/books-bigrams`; see `sentvec.PRESETS`.
            listener: Hears about the corpus, the memory and the progress.
            work_dir: Where the encoded corpus is kept while training (4 bytes a word, 8 a
                sentence); by default where the system keeps temporary files.
            **settings: Fields of `Sent2VecSettings`: dim, epochs, lr, min_count, ngrams, threads,
                seed and so on. Those not given come from the preset.

        Raises:
            SettingsError, CorpusError, SourceError: Something given cannot work; nothing was done.
            StorageError: The encoded corpus cannot be kept in `work_dir`.
            NotEnoughMemoryError: More memory is needed than there is; nothing was allocated.
            DivergedError: The vectors are no longer finite.
        """
        chosen = Sent2VecSettings.make(preset, **settings)
        tokenizer = Tokenizer(chosen.tokenizer)
        tokenizer.check_available()
        sources = open_corpus(corpus)
        listener = listener or Listener()
        with _work_folder(work_dir) as folder:
            started = time.perf_counter()
            encoded = encode_corpus(
                sources, tokenizer, Path(folder),
                min_count=chosen.min_count, max_vocab=chosen.max_vocab,
            )  # fmt: skip
            seconds = time.perf_counter() - started
            listener.corpus(encoded.stats, len(encoded.vocabulary), seconds)
            return _train(cls, encoded, tokenizer, _resolved(chosen, encoded), listener)


def _work_folder(place: str | os.PathLike[str] | None) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="sentvec-", dir=place)
    except OSError as error:
        msg = (
            f"cannot work in {place or 'the folder of temporary files'}: {error.strerror or error}"
        )
        raise StorageError(msg + " - expected a folder that can be written to") from error


def _resolved(settings: Sent2VecSettings, corpus: EncodedCorpus) -> Sent2VecSettings:
    """The settings with what depends on the corpus and the machine filled in."""
    buckets = settings.buckets
    if settings.ngrams == 1:
        buckets = None
    elif buckets is None:
        buckets = min(max(len(corpus.ids) // 2, FEWEST_BUCKETS), MOST_BUCKETS)
    return settings.with_values(buckets=buckets, threads=settings.threads or _processors())


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _train(
    cls: type[Sent2Vec],
    corpus: EncodedCorpus,
    tokenizer: Tokenizer,
    settings: Sent2VecSettings,
    listener: Listener,
) -> Sent2Vec:
    started = time.perf_counter()
    keep = keep_probabilities(corpus.vocabulary.counts, settings)
    n_words, buckets, threads = len(corpus.vocabulary), settings.buckets or 0, settings.threads or 1
    released = settings.variant == "released"
    rows = n_words + buckets + released
    longest = corpus.longest_sentence() * settings.ngrams
    need = memory.estimate(rows, n_words, settings.dim, scratch=threads * longest * SCRATCH_BYTES)
    listener.memory(need)
    need.check()
    listener.compiling()
    V = matrices.uniform(rows, settings.dim, seed=settings.seed, threads=threads)
    U = matrices.zeros(n_words, settings.dim)
    shared = _Shared(corpus.vocabulary.counts, keep, V, U, settings, len(corpus.ids))
    schedule = loop.Schedule(settings.epochs, settings.lr, settings.shuffle, settings.seed, threads)
    untrained = float((1 + settings.negatives) * np.log(2))
    _Worker(shared)(loop.EMPTY_BATCH)  # compiles the kernel, before the clock starts
    loss = loop.run(corpus, schedule, lambda: _Worker(shared), listener, untrained_loss=untrained)
    V = V[: n_words + buckets]  # the placeholder of the released variant stays behind
    matrices.check_finite(V, "source", settings.lr)
    matrices.check_finite(U, "target", settings.lr)
    V.flags.writeable = U.flags.writeable = False
    config = {
        "model": "sent2vec",
        "sentvec_version": VERSION,
        "settings": settings.to_config(),
        "tokenizer": tokenizer.to_config(),
        "sizes": {"dim": settings.dim, "vocabulary": n_words, "buckets": buckets},
        "corpus": asdict(corpus.stats),
        "training": {
            "loss": round(loss, 6),
            "seconds": round(time.perf_counter() - started, 2),
            "threads": threads,
            "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        },
    }
    vocabulary = corpus.vocabulary  # of the corpus, the model keeps nothing else
    return cls(
        vocabulary=lambda: vocabulary,
        tokenizer=tokenizer,
        tensors={"input_vectors": V, "output_vectors": U},
        config=config,
    )


def keep_probabilities(counts: NDArray[np.int64], settings: Sent2VecSettings) -> Floats:
    """q_p of each word: the probability that it is predicted where it stands (paper, section 2.1).

    min(1, sqrt(t / f) + t / f), f being the word's share of the known tokens; 1 where t is 0, and
    -1 for words seen less than `min_target_count` times.

    Raises:
        CorpusError: No word is left to predict.
    """
    share = settings.subsample / (counts / counts.sum())
    keep = np.minimum(1.0, np.sqrt(share) + share) if settings.subsample else np.ones(len(counts))
    keep = np.where(counts >= settings.min_target_count, keep, -1.0)
    if keep.max() < 0:
        msg = (
            f"no word is seen min_target_count={settings.min_target_count} times: the commonest is "
            f"seen {counts.max()} times - lower min_target_count"
        )
        raise CorpusError(msg)
    return keep.astype(np.float32)


class _Shared:
    """What all workers read or change: the matrices, the tables, the settings."""

    def __init__(
        self,
        counts: NDArray[np.int64],
        keep: Floats,
        V: Floats,
        U: Floats,
        settings: Sent2VecSettings,
        tokens: int,
    ) -> None:
        from sentvec.kernels import logistic, sent2vec, setup

        self.train_batch = sent2vec.train_batch
        self.integer_rows = sent2vec.INTEGER_ROWS
        self.keep, self.V, self.U, self.settings = keep, V, U, settings
        self.total = float(tokens * settings.epochs)
        self.table = logistic.logistic_table()
        self.alias_keep = np.empty(len(counts), np.float32)
        self.alias_other = np.empty(len(counts), np.uint32)
        # q_n: the square root of the count (paper, section 2.1)
        setup.alias_table(np.sqrt(counts.astype(np.float64)), self.alias_keep, self.alias_other)


class _Worker:
    """Trains on batches, with the scratch memory of one thread."""

    def __init__(self, shared: _Shared) -> None:
        self._shared = shared
        self._work = np.empty((4, shared.settings.dim), np.float32)
        self._make_room(0)

    def __call__(self, batch: loop.Batch) -> tuple[float, int]:
        """Train on a batch; returns (sum of losses, number of targets)."""
        s, shared = self._shared.settings, self._shared
        longest = int(np.diff(batch.offsets).max(initial=0)) * s.ngrams
        if longest > self._longest:
            self._make_room(longest)
        shape = {"n_words": len(shared.U), "ngrams": s.ngrams, "buckets": s.buckets or 1}
        grams = ngram_rows(batch.ids, batch.offsets, **shape)
        released = s.variant == "released"
        if released:
            placeholders = placeholder_rows(batch.ids, batch.offsets, **shape)
        else:
            placeholders = np.empty((len(batch.ids), 0), np.int64)
        loss, targets = shared.train_batch(
            batch.ids, batch.offsets, batch.sentences, grams, placeholders,
            shared.V, shared.U, shared.keep, shared.alias_keep, shared.alias_other, shared.table,
            s.negatives, s.shared_negatives, s.drop_ngrams, s.l1, released,
            s.lr, float(batch.done), shared.total, s.seed, batch.epoch,
            self._work, self._integers, self._slots, self._floats,
        )  # fmt: skip
        return float(loss), int(targets)

    def _make_room(self, longest: int) -> None:
        """Scratch for sentences of so many features."""
        negatives = self._shared.settings.negatives
        self._longest = longest
        width = max(longest, negatives + 1)
        self._integers = np.zeros((self._shared.integer_rows, width), np.int64)
        self._slots = np.empty(4 * longest + 4, np.int64)
        self._floats = np.empty(longest + 2 * negatives + 2, np.float32)
