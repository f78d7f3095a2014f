"""How Siamese CBOW is trained: what a run of it needs to know, and the arrays that it changes.

Kenter, Borisov and de Rijke, "Siamese CBOW: Optimizing Word Embeddings for Sentence
Representations", ACL 2016. The update is in `kernels.siamese_cbow`, the workers in `worker`, epochs
and threads in `training.loop`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from sentvec.machine import processors
from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.siamese_cbow.initial import checked_vectors, copy_word_vectors
from sentvec.models.siamese_cbow.pairs import Pairs
from sentvec.models.siamese_cbow.settings import SiameseCBOWSettings
from sentvec.models.siamese_cbow.worker import Shared, Worker, slots_of
from sentvec.storage.records import Sizes
from sentvec.text.encoded import EncodedCorpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.training import matrices, memory
from sentvec.training.batches import Schedule
from sentvec.training.progress import Listener
from sentvec.training.trainer import Arrays, CorpusSize, Needs, Shapes, Trainer, schedule_of

MIN_WORDS = 2  # of a vocabulary


class SiameseCBOWTrainer(Trainer[SiameseCBOWSettings, Pairs]):
    """Trains Siamese CBOW; words may start with the vectors of another model."""

    KIND = "siamese-cbow"
    SETTINGS = SiameseCBOWSettings
    INIT_FROM = "Start from the word vectors of this model, or file of another program."

    init: SentenceEncoder | None

    @classmethod
    def for_new_run(
        cls,
        settings: SiameseCBOWSettings,
        given: Mapping[str, Any],
        init: StoredEncoder | None = None,
    ) -> Self:
        """The trainer of a new run; see `Trainer.for_new_run`."""
        if init is None:
            return super().for_new_run(settings, given)
        vectors = checked_vectors(init, given.get("dim"))
        settings = settings.with_values(dim=vectors.dim)
        return cls(settings, Tokenizer(settings.tokenizer), vectors)

    def check(self) -> None:
        """Check what the settings alone ask for; see `Trainer.check`."""
        super().check()
        memory_of(self.settings, MIN_WORDS).check(at_least=True)

    def needs(self, size: CorpusSize) -> Needs:
        """What a training needs."""
        settings = self.settings
        kept = size.words * settings.dim * np.dtype(settings.dtype).itemsize
        need = memory_of(settings, size.words, size.longest, size.sentences)
        return Needs.of(need, "0 n-gram buckets", kept, size)

    def resolve(self, corpus: EncodedCorpus) -> Self:
        """Fill in the number of threads."""
        threads = self.settings.threads or processors()
        return self.with_settings(self.settings.with_values(threads=threads))

    def data(self, corpus: EncodedCorpus, name: str = "the corpus") -> Pairs:
        """The corpus as the model goes through it; see `Trainer.data`."""
        return Pairs.of(corpus, self.settings, name)

    def memory(self, data: Pairs) -> memory.MemoryEstimate:
        """What the run will need."""
        return memory_of(self.settings, len(data.vocabulary), data.longest, data.sentences)

    def shapes(self, data: Pairs) -> Shapes:
        """The vectors, and with AdaGrad a sum of squares for each word."""
        words, settings = len(data.vocabulary), self.settings
        shapes: Shapes = {"input_vectors": (words, settings.dim, settings.dtype)}
        if settings.optimizer == "adagrad":
            shapes["squares"] = (words, 1, "float32")
        return shapes

    def start(self, data: Pairs, listener: Listener | None = None) -> Arrays:
        """Vectors at random, or those given; sums of zero."""
        settings, n_words = self.settings, len(data.vocabulary)
        V = matrices.normal(
            n_words, settings.dim, deviation=settings.init_std, seed=settings.seed,
            threads=settings.threads or 1, dtype=settings.dtype,
        )  # fmt: skip
        if self.init is not None:
            copied = copy_word_vectors(self.init, data.vocabulary, V)
            if copied < n_words / 2 and listener is not None:
                listener.warning(
                    f"only {copied:,} of the {n_words:,} words of the corpus have a vector in "
                    "init_from, the others start at random - check that words are cut and cased "
                    "alike"
                )
        arrays: Arrays = {"input_vectors": V}
        if settings.optimizer == "adagrad":
            arrays["squares"] = matrices.zeros(n_words, 1)
        return arrays

    def workers(self, data: Pairs, arrays: Sequence[Arrays]) -> list[Worker]:
        """Workers that share the corpus and its tables."""
        shared = Shared(data.vocabulary.counts, data, self.settings)
        return [Worker(shared, each) for each in arrays]

    def untrained_loss(self, data: Pairs) -> float:
        """Of a choice among the neighbours and the negatives."""
        return float(np.log(self.settings.positives + self.settings.negatives))

    def schedule(self) -> Schedule:
        """Epochs, learning rate, order and threads."""
        return schedule_of(self.settings)

    def model_arrays(self, data: Pairs, arrays: Arrays) -> Arrays:
        """The vectors."""
        return {"input_vectors": arrays["input_vectors"]}

    def config_fields(self, data: Pairs) -> dict[str, Any]:
        """The sizes of the model."""
        words = len(data.vocabulary)
        return {"sizes": Sizes.of(dim=self.settings.dim, vocabulary=words, buckets=0)}


def memory_of(
    settings: SiameseCBOWSettings, n_words: int, longest: int = 0, sentences: int = 0
) -> memory.MemoryEstimate:
    """The memory that a run needs; `longest` is the number of known words of a sentence."""
    row = settings.dim * np.dtype(settings.dtype).itemsize
    row += 4 * (settings.optimizer == "adagrad")
    words = min(longest, settings.max_tokens or longest)
    slots = slots_of(settings)
    worker = slots * (8 * settings.dim + 4 * words + 64) + 4 * words
    corpus = sentences + (16 * -(-sentences // settings.batch) if settings.shared_negatives else 0)
    scratch = (settings.threads or processors()) * worker + corpus
    return memory.estimate(n_words * row, n_words, scratch=scratch)
