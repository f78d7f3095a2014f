"""Trainer: what a run of training asks of a model; Worker: what trains on its batches.

A run (`training.runs`) resolves the settings against the corpus, asks what it will need, starts the
arrays or takes those of a checkpoint, and lets workers change them. A trainer holds settings and
plain data, so it can be pickled and sent to another process, with the data and the arrays:

    trainer = trainer.resolve(corpus)
    data = trainer.data(corpus)
    arrays = trainer.start(data)
    [worker] = trainer.workers(data, [arrays])
    for batch in data.batches(trainer.schedule()):
        worker(batch)

Not here: the order of the batches (`batches`), epochs and threads (`loop`), checkpoints and
held-out text (`runs`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from numpy.typing import NDArray

from sentvec.errors import SettingsError
from sentvec.text.encoded import EncodedCorpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.vocabulary import Vocabulary
from sentvec.training import matrices
from sentvec.training.batches import Batch, Batches, Position, Schedule
from sentvec.training.memory import MemoryEstimate
from sentvec.training.progress import Listener
from sentvec.training.settings import Settings
from sentvec.training.summary import Trained

Arrays = dict[str, matrices.Matrix]
VOCABULARY_BYTES = 12  # of a word in vocabulary.txt, on average
# Rows, columns and dtype of each array by name.
Shapes = dict[str, tuple[int, int, str]]


class Data(Protocol):
    """A corpus as a model goes through it: the source of the batches of an epoch."""

    @property
    def words(self) -> int:
        """Words of an epoch."""

    @property
    def trained(self) -> Trained:
        """What an epoch takes from the corpus."""

    def batches(
        self, schedule: Schedule, untrained_loss: float = ..., start: Position | None = ...
    ) -> Batches:
        """What the workers take their batches from."""


S = TypeVar("S", bound=Settings)
D = TypeVar("D", bound=Data)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The loss per target on held-out text, and of each thing predicted where there are several."""

    loss: float
    parts: Mapping[str, float]


class Worker(ABC, Generic[D]):
    """Trains on batches, one after the other, with scratch memory of its own.

    Attributes:
        arrays: What it changes.
    """

    arrays: Arrays

    @abstractmethod
    def __call__(self, batch: Batch) -> tuple[float, int]:
        """Train on a batch; returns (sum of losses, number of targets)."""

    @abstractmethod
    def evaluate(self, data: D) -> HeldOut:
        """The loss on another text with the same ids; changes nothing."""

    def parts(self) -> dict[str, float]:
        """The running loss of each thing that is predicted, where there are several."""
        return {}

    def collect(self, arrays: Arrays) -> None:
        """Bring the arrays up to date, where this worker changes something else (on a GPU)."""


@dataclass(frozen=True, slots=True)
class CorpusSize:
    """What an estimate needs to know of a text; only `words` where it was not read.

    Attributes:
        words: Of the vocabulary.
        known_tokens: Words of the text that are in the vocabulary.
        longest: Words of the longest sentence.
        sentences: Sentences of the text.
        disk: Bytes of the encoded text.
    """

    words: int
    known_tokens: int | None = None
    longest: int = 0
    sentences: int = 0
    disk: int = 0


@dataclass(frozen=True, slots=True)
class Needs:
    """What a training needs.

    Attributes:
        memory: Its memory.
        rows: The rows of the model beside its words, in words.
        model: Bytes of the model on disk.
        checkpoint: Bytes of a checkpoint.
    """

    memory: MemoryEstimate
    rows: str
    model: int
    checkpoint: int

    @classmethod
    def of(
        cls, need: MemoryEstimate, rows: str, kept: int, size: CorpusSize, checkpoint: int = 0
    ) -> Needs:
        """What a training needs whose model holds matrices of `kept` bytes, and words.

        A checkpoint holds the same, unless its bytes are given.
        """
        model = kept + VOCABULARY_BYTES * size.words
        return cls(need, rows, model, checkpoint or model)


class Trainer(ABC, Generic[S, D]):
    """How one kind of model is trained.

    Args:
        settings: Of the run.
        tokenizer: Cuts the text into words.
        init: The model that the run starts from, where the kind allows that.

    Attributes:
        KIND: The name of the kind.
        SETTINGS: The class of its settings.
        INIT_FROM: What a run may start from, for the help of `--init-from`; None for nothing.
        KEEPS_UNKNOWN: Whether unknown words stay in their sentences, as one word.
        COMPILES: Whether the kernels are compiled at the first run.
    """

    KIND: ClassVar[str]
    SETTINGS: ClassVar[type[Settings]]
    INIT_FROM: ClassVar[str | None] = None
    KEEPS_UNKNOWN: ClassVar[bool] = False
    COMPILES: ClassVar[bool] = True

    def __init__(self, settings: S, tokenizer: Tokenizer, init: Any = None) -> None:
        self.settings, self.tokenizer, self.init = settings, tokenizer, init

    @classmethod
    def for_new_run(cls, settings: S, given: Mapping[str, Any], init: Any = None) -> Self:
        """The trainer of a new run.

        Args:
            settings: Of the run.
            given: The settings that were given, not those of a preset or a default.
            init: A model to start from.

        Raises:
            SettingsError: The kind cannot start from a model, or not from this one.
        """
        if init is not None:
            msg = f"a {cls.KIND} model starts from no other model - leave init_from out"
            raise SettingsError(msg)
        return cls(settings, Tokenizer(settings.tokenizer))

    @classmethod
    def for_resumed_run(cls, settings: Mapping[str, Any], tokenizer: Tokenizer) -> Self:
        """The trainer of a run that is resumed; `settings` as `config.json` holds them."""
        return cls(cls.SETTINGS.from_config(settings), tokenizer)  # type: ignore[arg-type]

    # --- before the corpus is read ---------------------------------------------------------------

    @property
    def vocabulary(self) -> Vocabulary | None:
        """Words that keep their ids, to which those of the corpus are added."""
        return None

    def check(self) -> None:
        """Check what the settings alone ask for, before an hour is spent on counting words.

        Raises:
            NotEnoughMemoryError: The run cannot go well, however small its corpus.
            MissingExtraError: A package is not installed.
        """
        self.tokenizer.check_available()

    @abstractmethod
    def needs(self, size: CorpusSize) -> Needs:
        """What a training on a text of a size needs; nothing is read or allocated."""

    # --- with the corpus -------------------------------------------------------------------------

    def resolve(self, corpus: EncodedCorpus) -> Self:
        """The trainer with the settings that depend on the corpus or the machine filled in."""
        return self

    def with_settings(self, settings: S) -> Self:
        """The same with other settings."""
        return type(self)(settings, self.tokenizer, self.init)

    @abstractmethod
    def data(self, corpus: EncodedCorpus, name: str = "the corpus") -> D:
        """The corpus as the model goes through it; errors call it by a name.

        Raises:
            CorpusError: There is nothing to learn from.
        """

    @abstractmethod
    def memory(self, data: D) -> MemoryEstimate:
        """What the run will need."""

    @property
    def uses_memory(self) -> bool:
        """Whether it is this machine's memory that the run needs, not that of a GPU."""
        return True

    @abstractmethod
    def shapes(self, data: D) -> Shapes:
        """The arrays of the run, which a checkpoint keeps."""

    @abstractmethod
    def start(self, data: D, listener: Listener | None = None) -> Arrays:
        """The arrays at the start of the run."""

    @abstractmethod
    def workers(self, data: D, arrays: Sequence[Arrays]) -> Sequence[Worker[D]]:
        """A worker for each of some arrays: the same ones, or a copy for each."""

    @property
    def has_copies(self) -> bool:
        """Whether workers have copies of the arrays, merged after every round (`rounds`)."""
        return False

    @abstractmethod
    def untrained_loss(self, data: D) -> float:
        """The loss per target before any training, for the divergence check."""

    @abstractmethod
    def schedule(self) -> Schedule:
        """Epochs, learning rate, order and threads of the run."""

    def computing(self) -> AbstractContextManager[None]:
        """What the arithmetic of the run has to be done in."""
        return nullcontext()

    # --- at the end ------------------------------------------------------------------------------

    def model_arrays(self, data: D, arrays: Arrays) -> Arrays:
        """The arrays that the model keeps; views, checked to be finite by the run."""
        return arrays

    def tensors(self, data: D, arrays: Arrays) -> dict[str, NDArray[Any]]:
        """The tensors of the model, by name, made of `model_arrays`."""
        return {**self.model_arrays(data, arrays)}

    @abstractmethod
    def config_fields(self, data: D) -> dict[str, Any]:
        """Fields of `ModelConfig` that depend on the kind: sizes, and perhaps more."""


def schedule_of(settings: Settings, *, threads: int | None = None, decay: bool = True) -> Schedule:
    """The schedule that settings describe."""
    count = settings.threads or 1 if threads is None else threads
    return Schedule(settings.epochs, settings.lr, settings.shuffle, settings.seed, count, decay)


def mean_loss(results: Sequence[tuple[float, int]]) -> float:
    """The loss per target of batches, given as (sum of losses, number of targets)."""
    targets = sum(count for _, count in results)
    return sum(loss for loss, _ in results) / targets if targets else math.nan


def restored(saved: Mapping[str, NDArray[Any]], shapes: Shapes) -> Arrays:
    """The arrays of a checkpoint, copied into memory.

    Raises:
        FormatError: They are not of these shapes.
    """
    return {name: matrices.copied(saved.get(name), name, *shape) for name, shape in shapes.items()}
