"""How Skip-Thought is trained: what a run of it needs to know, and the arrays that it changes.

Kiros et al., "Skip-Thought Vectors", NIPS 2015. The network is in `networks`, the worker in
`worker`, the batches in `training.triples`, epochs in `training.loop`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sentvec.machine import processors
from sentvec.models.skip_thought.neighbours import Neighbours
from sentvec.models.skip_thought.parts import Part
from sentvec.models.skip_thought.settings import SkipThoughtSettings
from sentvec.models.skip_thought.worker import Worker
from sentvec.networks import require_torch
from sentvec.networks.shape import FIRST_WORD, Shape
from sentvec.storage.records import Encoding, Sizes
from sentvec.text.encoded import EncodedCorpus
from sentvec.training import memory
from sentvec.training.batches import Schedule
from sentvec.training.progress import Listener
from sentvec.training.trainer import Arrays, CorpusSize, Needs, Shapes, Trainer, schedule_of

MIN_WORDS = 2  # of a vocabulary
# Measured as the peak of anonymous memory of runs on sentences of max_tokens words.
_TORCH_BYTES = 150 << 20  # its libraries, over what every run has
_LOGITS = 1 << 24  # numbers of a block of the output layer, which has three such at once
_COMPILED_BYTES = 250 << 20  # products in low precision: compiled for each shape, and kept
_ADVICE = "lower batch, dim, word_dim, max_vocab or max_tokens"


class SkipThoughtTrainer(Trainer[SkipThoughtSettings, Neighbours]):
    """Trains Skip-Thought, with torch."""

    KIND = "skip-thought"
    SETTINGS = SkipThoughtSettings
    KEEPS_UNKNOWN = True
    COMPILES = False

    def check(self) -> None:
        """Check that torch and the device are there, and memory; see `Trainer.check`."""
        require_torch()
        self._device()
        super().check()
        memory_of(self.settings, MIN_WORDS).check(at_least=True)

    def needs(self, size: CorpusSize) -> Needs:
        """What a training needs; a checkpoint holds the moments too."""
        words = min(size.words, self.settings.max_vocab or size.words)
        need, numbers = memory_of(self.settings, words), count_parameters(self.settings, words)
        return Needs.of(need, f"{numbers:,} parameters", 4 * numbers, size, 12 * numbers)

    def resolve(self, corpus: EncodedCorpus) -> Self:
        """Fill in the device and the number of threads; a run may be resumed elsewhere."""
        require_torch()
        threads = self.settings.threads or processors()
        return self.with_settings(self.settings.with_values(threads=threads, device=self._device()))

    def _device(self) -> str:
        from sentvec.networks.learner import device_named

        return device_named(self.settings.device)

    def data(self, corpus: EncodedCorpus, name: str = "the corpus") -> Neighbours:
        """The corpus as the model goes through it; see `Trainer.data`."""
        return Neighbours.of(corpus, self.settings, name)

    def memory(self, data: Neighbours) -> memory.MemoryEstimate:
        """What the run will need."""
        return memory_of(self.settings, len(data.vocabulary))

    @property
    def uses_memory(self) -> bool:
        """Whether the network is in this machine's memory."""
        return self.settings.device == "cpu"

    def _shape(self, data: Neighbours) -> Shape:
        return shape_of(self.settings, len(data.vocabulary))

    def shapes(self, data: Neighbours) -> Shapes:
        """Parameters, moments and the number of steps."""
        from sentvec.networks.learner import array_shapes

        sizes = array_shapes(self._shape(data))
        return {name: (rows, columns, "float32") for name, (rows, columns) in sizes.items()}

    def start(self, data: Neighbours, listener: Listener | None = None) -> Arrays:
        """Parameters at random, moments of zero."""
        from sentvec.networks.learner import start_arrays

        return start_arrays(self._shape(data), self.settings.seed)

    def workers(self, data: Neighbours, arrays: Sequence[Arrays]) -> list[Worker]:
        """One worker for each of the arrays; a run has one, whose arithmetic has the threads."""
        shape, schedule = self._shape(data), self.schedule()
        return [Worker(data, self.settings, schedule, shape, each) for each in arrays]

    def untrained_loss(self, data: Neighbours) -> float:
        """Of a choice among all words."""
        return float(np.log(len(data.vocabulary) + FIRST_WORD))

    def schedule(self) -> Schedule:
        """Epochs, learning rate and order; one worker."""
        return schedule_of(self.settings, threads=1, decay=self.settings.decay)

    def computing(self) -> AbstractContextManager[None]:
        """The threads of torch."""
        from sentvec.networks.inference import using_threads

        return using_threads(self.settings.threads or 1)

    def model_arrays(self, data: Neighbours, arrays: Arrays) -> Arrays:
        """The parameters."""
        return {name: arrays[name] for name in self._shape(data).tensors()}

    def tensors(self, data: Neighbours, arrays: Arrays) -> dict[str, NDArray[Any]]:
        """The parameters, vectors as vectors."""
        sizes = self._shape(data).tensors()
        return {name: arrays[name].reshape(size) for name, size in sizes.items()}

    def config_fields(self, data: Neighbours) -> dict[str, Any]:
        """The sizes, the one part, and how texts are read: as in training."""
        words, settings = len(data.vocabulary), self.settings
        return {
            "sizes": Sizes.of(
                dim=settings.dim, vocabulary=words, word_dim=settings.word_dim,
                trained_words=words,
            ),
            "parts": (Part(self._shape(data)).to_config(),),
            "encoding": Encoding.of(end_token=True, normalize_parts=False),
        }  # fmt: skip


def shape_of(settings: SkipThoughtSettings, n_words: int) -> Shape:
    """The network for a vocabulary of N words."""
    words = n_words + FIRST_WORD
    return Shape(
        words, settings.word_dim, settings.dim, settings.encoder == "bi", settings.gru,
        settings.decoder == "paper", settings.cutoffs(words),
    )  # fmt: skip


def count_parameters(settings: SkipThoughtSettings, n_words: int) -> int:
    """All numbers of the network for a vocabulary of N words."""
    return sum(math.prod(size) for size in shape_of(settings, n_words).tensors().values())


def memory_of(settings: SkipThoughtSettings, n_words: int) -> memory.MemoryEstimate:
    """What a run will need: parameters with gradients and moments, and a batch of long sentences.

    On a GPU that is mostly its memory, which is asked for there; the estimate is the same.
    """
    shape = shape_of(settings, n_words)
    sizes = {name: math.prod(size) for name, size in shape.tensors().items()}
    rows = max(size[0] for name, size in shape.tensors().items() if "output.weight" in name)
    output = sum(size for name, size in sizes.items() if name.startswith("output."))
    # Parameters and moments stay. The gradients of the output are there from the first decoder's
    # loss on, and three times for a moment; the others come as the batch goes.
    copies = 3 * sum(sizes.values()) + max(3 * output, sum(sizes.values()))
    tokens = settings.batch * (settings.max_tokens + 1)
    # Of a token: word vectors, gates and states of three networks, and their gradients in one.
    numbers = 6 * shape.word_dim + (30 + 6 * shape.conditioned) * shape.dim
    scratch = 4 * tokens * numbers + 3 * 4 * min(_LOGITS, tokens * rows) + _TORCH_BYTES
    if settings.precision != "float32":  # copies of what is multiplied
        scratch += 4 * tokens * 10 * shape.dim + 2 * min(_LOGITS, tokens * rows) + _COMPILED_BYTES
    return memory.estimate(4 * copies, n_words, scratch=scratch, advice=_ADVICE)
