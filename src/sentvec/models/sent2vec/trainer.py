"""How Sent2Vec is trained: what a run of it needs to know, and the arrays that it changes.

Pagliardini, Gupta and Jaggi, "Unsupervised Learning of Sentence Embeddings using Compositional
n-Gram Features", NAACL 2018. The update is in `kernels.sent2vec`, the workers in `worker`, epochs
and threads in `training.loop`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import CorpusError
from sentvec.machine import processors
from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.sent2vec.initial import checked_model, copy_vectors, shaped_like
from sentvec.models.sent2vec.sentences import Sentences
from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.models.sent2vec.worker import Shared, Worker
from sentvec.storage.records import Sizes
from sentvec.text.encoded import EncodedCorpus
from sentvec.text.vocabulary import Vocabulary
from sentvec.training import matrices, memory
from sentvec.training.batches import Schedule, Units
from sentvec.training.progress import Listener
from sentvec.training.subsampling import kept_share
from sentvec.training.summary import Trained
from sentvec.training.trainer import Arrays, CorpusSize, Needs, Shapes, Trainer, schedule_of

Floats = NDArray[np.float32]

# Without a number of buckets: half a bucket per known token of the corpus, within these bounds. A
# text of n tokens has fewer than n distinct bigrams; the released program's default is the upper.
MIN_BUCKETS, MAX_BUCKETS = 10_000, 2_000_000
MIN_WORDS = 2  # of a vocabulary
# The least share of the negatives that are not the most frequent word. Counts of text are far from
# it: of two words, one would have to be seen a hundred million times as often as the other.
MIN_OTHERS = 1e-4
# Of a worker, for each feature of the longest sentence: 13 integers, four slots, the rest.
SCRATCH_BYTES = 13 * 8 + 4 * 8 + 20


class Sent2VecTrainer(Trainer[Sent2VecSettings, Sentences]):
    """Trains Sent2Vec; it may continue a model, whose words keep their ids and vectors."""

    KIND = "sent2vec"
    SETTINGS = Sent2VecSettings
    INIT_FROM = "Start from the vectors and the vocabulary of this model."

    init: SentenceEncoder | None

    @classmethod
    def for_new_run(
        cls,
        settings: Sent2VecSettings,
        given: Mapping[str, Any],
        init: StoredEncoder | None = None,
    ) -> Self:
        """The trainer of a new run; see `Trainer.for_new_run`."""
        if init is None:
            return super().for_new_run(settings, given)
        model = checked_model(init)
        return cls(shaped_like(model, settings, set(given)), model.tokenizer, model)

    @property
    def vocabulary(self) -> Vocabulary | None:
        """The words of the model that the run starts from."""
        return None if self.init is None else self.init.vocabulary

    def check(self) -> None:
        """Check what the settings alone ask for; see `Trainer.check`."""
        super().check()
        known = 0 if self.init is None else len(self.init.vocabulary)
        fewest = buckets_for(self.settings, tokens=0)
        memory_of(self.settings, max(known, MIN_WORDS), fewest).check(at_least=True)

    def needs(self, size: CorpusSize) -> Needs:
        """What a training needs; without a corpus, with the most buckets it would choose."""
        settings = self.settings
        tokens = 2 * MAX_BUCKETS if size.known_tokens is None else size.known_tokens
        buckets = buckets_for(settings, tokens)
        rows = (2 * size.words + buckets) * settings.dim * np.dtype(settings.dtype).itemsize
        return Needs.of(
            memory_of(settings, size.words, buckets), f"{buckets:,} n-gram buckets", rows, size
        )

    def resolve(self, corpus: EncodedCorpus) -> Self:
        """Fill in the number of buckets and of threads."""
        buckets = buckets_for(self.settings, len(corpus.ids)) or None
        threads = self.settings.threads or processors()
        return self.with_settings(self.settings.with_values(buckets=buckets, threads=threads))

    def data(self, corpus: EncodedCorpus, name: str = "the corpus") -> Sentences:
        """The corpus as the model goes through it; see `Trainer.data`."""
        vocabulary = corpus.vocabulary
        check_negatives(vocabulary)
        return Sentences(
            units=Units(corpus.ids, corpus.offsets),
            vocabulary=vocabulary,
            keep=keep_probabilities(vocabulary.counts, self.settings),
            longest=corpus.longest_sentence(),
            trained=Trained.on_words(corpus.stats),
        )

    def memory(self, data: Sentences) -> memory.MemoryEstimate:
        """What the run will need."""
        buckets = self.settings.buckets or 0
        return memory_of(self.settings, len(data.vocabulary), buckets, data.longest)

    def shapes(self, data: Sentences) -> Shapes:
        """Source vectors of words, buckets and (released variant) the placeholder; targets."""
        settings, words = self.settings, len(data.vocabulary)
        rows = words + (settings.buckets or 0) + (settings.variant == "released")
        return {
            "input_vectors": (rows, settings.dim, settings.dtype),
            "output_vectors": (words, settings.dim, settings.dtype),
        }

    def start(self, data: Sentences, listener: Listener | None = None) -> Arrays:
        """Source vectors at random, target vectors of zero; or those of the model to start from."""
        settings, shapes = self.settings, self.shapes(data)
        rows, dim, dtype = shapes["input_vectors"]
        V = matrices.uniform(
            rows, dim, seed=settings.seed, threads=settings.threads or 1, dtype=dtype
        )
        U = matrices.zeros(*shapes["output_vectors"])
        if self.init is not None:
            copy_vectors(self.init, V, U)
        return {"input_vectors": V, "output_vectors": U}

    def workers(self, data: Sentences, arrays: Sequence[Arrays]) -> list[Worker]:
        """Workers that share the tables they draw from."""
        counts = data.vocabulary.counts
        shared = Shared(counts, data.keep, self.settings, data.words)
        return [Worker(shared, each) for each in arrays]

    @property
    def has_copies(self) -> bool:
        """Whether workers have matrices of their own: with `deterministic` and several threads."""
        return self.settings.deterministic and (self.settings.threads or 1) > 1

    def untrained_loss(self, data: Sentences) -> float:
        """Log 2 for the target and each negative."""
        return float((1 + self.settings.negatives) * np.log(2))

    def schedule(self) -> Schedule:
        """Epochs, learning rate, order and threads."""
        return schedule_of(self.settings)

    def model_arrays(self, data: Sentences, arrays: Arrays) -> Arrays:
        """The matrices without the placeholder of the released variant."""
        rows = len(data.vocabulary) + (self.settings.buckets or 0)
        return {**arrays, "input_vectors": arrays["input_vectors"][:rows]}

    def config_fields(self, data: Sentences) -> dict[str, Any]:
        """The sizes of the model."""
        settings, words = self.settings, len(data.vocabulary)
        buckets = settings.buckets or 0
        return {"sizes": Sizes.of(dim=settings.dim, vocabulary=words, buckets=buckets)}


def buckets_for(settings: Sent2VecSettings, tokens: int) -> int:
    """The number of n-gram buckets of a run on a corpus of N known tokens."""
    if settings.ngrams == 1:
        return 0
    return settings.buckets or min(max(tokens // 2, MIN_BUCKETS), MAX_BUCKETS)


def memory_of(
    settings: Sent2VecSettings, n_words: int, buckets: int, longest: int = 0
) -> memory.MemoryEstimate:
    """The memory that a run needs; `longest` is the number of known words of a sentence."""
    rows = n_words + buckets + (settings.variant == "released")
    threads = settings.threads or processors()
    copies = 1 + threads if settings.deterministic and threads > 1 else 1
    matrix_bytes = (rows + n_words) * settings.dim * np.dtype(settings.dtype).itemsize
    return memory.estimate(
        copies * matrix_bytes, n_words, scratch=threads * longest * settings.ngrams * SCRATCH_BYTES
    )


def keep_probabilities(counts: NDArray[np.int64], settings: Sent2VecSettings) -> Floats:
    """q_p of each word: the probability that it is predicted at its position (paper, section 2.1).

    min(1, sqrt(t / f) + t / f), f being the word's share of the known tokens; 1 where t is 0, and
    -1 for words seen less than `min_target_count` times.

    Raises:
        CorpusError: No word is left to predict.
    """
    keep = kept_share(counts, settings.subsample)
    keep = np.where(counts >= settings.min_target_count, keep, -1.0)
    if keep.max() < 0:
        msg = (
            f"no word is seen min_target_count={settings.min_target_count} times: the most "
            f"frequent is seen {counts.max()} times - lower min_target_count"
        )
        raise CorpusError(msg)
    return keep.astype(np.float32)


def check_negatives(vocabulary: Vocabulary) -> None:
    """Check that there is something to draw against the most frequent word.

    A negative is drawn until it is another word than the target.

    Raises:
        CorpusError: Nearly every word drawn would be the most frequent one itself.
    """
    weights = np.sqrt(vocabulary.counts.astype(np.float64))
    most_frequent = int(weights.argmax())
    others = (weights.sum() - weights[most_frequent]) / weights.sum()
    if others < MIN_OTHERS:
        msg = (
            f"every negative would be the target: {vocabulary.words[most_frequent]!r} is seen "
            f"{vocabulary.counts[most_frequent]:,} times and drawn {1 - others:.4%} of the time - "
            "expected other words that are common too; lower min_count or use more text"
        )
        raise CorpusError(msg)
