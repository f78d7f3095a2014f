"""A training run of any model: its corpus, its checkpoints, its held-out text, its end.

What is special to a kind of model is its trainer (`training.trainer`). Here is what they all share:
encode the corpus or reopen that of a checkpoint, train to the end, make the model, save it.
What was asked for is in `plan`, what happens between batches in `observer`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from sentvec.errors import DivergedError, StorageError
from sentvec.storage.checkpoint import CheckpointFolder
from sentvec.storage.config import ModelConfig
from sentvec.storage.records import Corpus, StoredSettings, Training
from sentvec.text.encoded import EncodedCorpus, encode_corpus
from sentvec.text.saved_corpus import reopen_corpus, save_corpus
from sentvec.text.sources import Source
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.vocabulary import Vocabulary
from sentvec.training import loop, matrices
from sentvec.training.batches import Position
from sentvec.training.progress import Listener
from sentvec.training.rounds import Rounds
from sentvec.training.runs.best import Best
from sentvec.training.runs.metrics import NAME as METRICS
from sentvec.training.runs.metrics import MetricsWriter
from sentvec.training.runs.observer import RunObserver
from sentvec.training.runs.plan import Plan, work_folder
from sentvec.training.summary import Summary
from sentvec.training.trainer import Arrays, Data, Trainer, restored
from sentvec.version import VERSION


@dataclass(frozen=True, slots=True)
class Result:
    """What a run ends with: the parts of a model."""

    vocabulary: Vocabulary
    tokenizer: Tokenizer
    tensors: dict[str, NDArray[Any]]
    config: ModelConfig


class Savable(Protocol):
    """A model, as far as a run knows it."""

    def save(self, folder: Path) -> None:
        """Write the model folder."""


Model = TypeVar("Model", bound=Savable)
Make = Callable[[Result], Model]


@dataclass
class Run:
    """A run in progress.

    Attributes:
        trainer: How the model is trained.
        corpus: The encoded corpus.
        held_out: Held-out text with the same ids.
        plan: Its options.
        listener: Hears about it.
        folder: Where the encoded corpus lies.
        checkpoints: Where its checkpoints are, if it has an output.
        start: Where an earlier session stopped.
        saved: The arrays of that session.
        best: The best epoch so far.
        data: The corpus as the model goes through it, once it trains.
        observer: Writes its checkpoints, once it trains.
        end: Where it ended.
    """

    trainer: Trainer[Any, Any]
    corpus: EncodedCorpus
    held_out: EncodedCorpus | None
    plan: Plan
    listener: Listener
    folder: Path
    checkpoints: CheckpointFolder | None
    start: Position = field(default_factory=Position)
    saved: Mapping[str, NDArray[Any]] | None = None
    best: Best | None = None
    data: Data | None = None
    observer: RunObserver | None = None
    end: Position = field(default_factory=Position)

    def train(self) -> Result:
        """Train to the end, with checkpoints and held-out loss on the way."""
        trainer, listener = self.trainer, self.listener
        data = self.data = trainer.data(self.corpus)
        held_out = None
        if self.held_out is not None:  # now, not after the first epoch
            held_out = trainer.data(self.held_out, "the held-out text")
        need = trainer.memory(data)
        listener.memory(need)
        if trainer.uses_memory:
            need.check()
        if trainer.COMPILES:
            listener.compiling()
        with trainer.computing():
            arrays = self._arrays(data)
            self._loop(data, held_out, arrays)
        for name, array in trainer.model_arrays(data, arrays).items():
            rate = trainer.schedule().lr
            matrices.check_finite(array, name, f"at the end (lr {rate:g} at the start)")
        return self._result(trainer.tensors(data, arrays), trainer.config_fields(data))

    def _arrays(self, data: Data) -> Arrays:
        """The arrays of the checkpoint in memory, or those of the start."""
        if self.saved is None:
            return self.trainer.start(data, self.listener)
        saved, self.saved = self.saved, None
        return restored(saved, self.trainer.shapes(data))

    def _loop(self, data: Data, held_out: Data | None, arrays: Arrays) -> None:
        trainer, schedule, rounds = self.trainer, self.trainer.schedule(), None
        own = [arrays] * schedule.threads
        if trainer.has_copies:
            total = schedule.epochs * data.words
            rounds = Rounds(list(arrays.values()), schedule.threads, total)
            own = [
                dict(zip(arrays, (copies[number] for copies in rounds.copies), strict=True))
                for number in range(schedule.threads)
            ]
        workers = trainer.workers(data, own)
        self.observer = RunObserver(
            plan=self.plan,
            schedule=schedule,
            words=data.words,
            start=self.start,
            best=self.best or Best(self.folder),
            checkpoints=self.checkpoints,
            listener=self.listener,
            arrays=arrays,
            collect=lambda: workers[0].collect(arrays),
            evaluate=None if held_out is None else lambda: workers[0].evaluate(held_out),
        )
        self.end = loop.run(
            data, schedule, workers, self.listener,
            untrained_loss=trainer.untrained_loss(data), start=self.start,
            observer=self.observer, rounds=rounds,
        )  # fmt: skip
        self.observer.ended(self.end)
        self.observer.take_best()

    def _result(self, tensors: dict[str, NDArray[Any]], described: dict[str, Any]) -> Result:
        for tensor in tensors.values():
            tensor.flags.writeable = False
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        config = ModelConfig(
            kind=self.trainer.KIND,
            sentvec_version=VERSION,
            settings=StoredSettings.from_json(self.trainer.settings.to_config()),
            tokenizer=self.trainer.tokenizer.to_config(),
            corpus=Corpus.from_json(dataclasses.asdict(self.corpus.stats)),
            training=Training.of(
                loss=round(self.end.mean_loss, 6),
                seconds=round(self.end.seconds, 2),
                threads=self.trainer.settings.threads,
                finished=now,
            ),
            **described,
        )
        return Result(self.corpus.vocabulary, self.trainer.tokenizer, tensors, config)

    def summary(self) -> Summary:
        """What it was trained on, at its end."""
        assert self.data is not None
        epochs = self.end.tokens // self.data.words
        return Summary.of(self.corpus.stats, epochs, self.end.targets, self.data.trained)

    def keep_end(self) -> bool:
        """Keep the end of the training in a checkpoint, if it got there; whether it is kept."""
        return self.observer is not None and self.observer.keep_end()

    def left(self) -> tuple[str, str] | None:
        """For a message: the last checkpoint, with its progress, and the command to resume it.

        None where there is nothing to resume.
        """
        latest = self.checkpoints.latest() if self.checkpoints is not None else None
        if latest is None:
            return None
        name, position = latest
        words = len(self.corpus.ids) if self.data is None else self.data.words
        done = position["tokens"] / (words * self.trainer.schedule().epochs)
        return f"{name} ({done:.1%} of the run)", f"sentvec train --resume {self.plan.output}"


def start_run(
    trainer: Trainer[Any, Any],
    sources: list[Source],
    plan: Plan,
    listener: Listener,
    make: Make[Model],
) -> Model:
    """Count and encode the corpus, train a model on it, save it to the output."""
    with work_folder(plan) as (folder, checkpoints):
        if checkpoints is not None:
            listener = MetricsWriter(checkpoints.path / METRICS, listener)
        started, settings = time.perf_counter(), trainer.settings
        corpus = encode_corpus(
            sources, trainer.tokenizer, folder, min_count=settings.min_count,
            max_vocab=settings.max_vocab, vocabulary=trainer.vocabulary,
            grow=trainer.vocabulary is not None, unknown=trainer.KEEPS_UNKNOWN,
        )  # fmt: skip
        held_out = None
        if plan.validate is not None:
            place = folder / "held-out"
            place.mkdir()
            held_out = encode_corpus(
                plan.validate, trainer.tokenizer, place, vocabulary=corpus.vocabulary,
                unknown=trainer.KEEPS_UNKNOWN,
            )  # fmt: skip
        listener.corpus(corpus.stats, len(corpus.vocabulary), time.perf_counter() - started)
        run = Run(trainer, corpus, held_out, plan, listener, folder, checkpoints)
        return _finished(run, make)


def resume_run(
    trainer_class: type[Trainer[Any, Any]],
    checkpoints: CheckpointFolder,
    plan: Plan,
    listener: Listener,
    make: Make[Model],
) -> Model:
    """Resume an interrupted run; returns the model, saved to its folder."""
    about = checkpoints.read_run()
    position, saved = checkpoints.read()  # checks that `about` is of this run too
    trainer = trainer_class.for_resumed_run(about["settings"], Tokenizer(**about["tokenizer"]))
    best = Best(checkpoints.corpus, **(position.pop("best") or {}))
    best.read()  # whether it is whole
    corpus = reopen_corpus(checkpoints.corpus, about["corpus"])
    held_out = None
    if about["held_out"] is not None:
        held_out = reopen_corpus(checkpoints.corpus / "held-out", about["held_out"])
    plan = dataclasses.replace(
        plan, patience=about["patience"], validate_every=about.get("validate_every")
    )
    listener = MetricsWriter(checkpoints.path / METRICS, listener)
    listener.corpus(corpus.stats, len(corpus.vocabulary), 0.0)
    run = Run(
        trainer, corpus, held_out, plan, listener, checkpoints.corpus, checkpoints,
        Position(**position), saved, best,
    )  # fmt: skip
    return _finished(run, make)


def _finished(run: Run, make: Make[Model]) -> Model:
    """Train a run to its end, make the model and save it."""
    run.trainer = run.trainer.resolve(run.corpus)
    if run.checkpoints is not None and run.saved is None:
        held_out = save_corpus(run.held_out, run.folder / "held-out") if run.held_out else None
        run.checkpoints.write_run(
            {
                "model": run.trainer.KIND,
                "settings": run.trainer.settings.to_config(),
                "tokenizer": run.trainer.tokenizer.to_config(),
                "corpus": save_corpus(run.corpus, run.folder),
                "held_out": held_out,
                "patience": run.plan.patience,
                "validate_every": run.plan.validate_every,
            }
        )
    with _nothing_lost(run):
        model = make(run.train())
        run.listener.summary(run.summary())
        if run.plan.output is not None and run.checkpoints is not None:  # both or neither
            model.save(run.plan.output)
            with contextlib.suppress(OSError):
                (run.checkpoints.path / METRICS).replace(run.plan.output / METRICS)
            run.checkpoints.remove()
    return model


@contextmanager
def _nothing_lost(run: Run) -> Iterator[None]:
    """Where a run does not get to its model, keep what can be kept, and say what is left of it."""
    try:
        yield
    except DivergedError as error:
        if (left := run.left()) is None:
            raise
        name, command = left
        msg = (
            f"{error}; {name} is left: `{command}` resumes from it with the same settings, "
            f"others need another folder, or this one without its checkpoints"
        )
        raise DivergedError(msg) from error
    except StorageError as error:
        kept = run.keep_end()
        if (left := run.left()) is None:
            msg = f"{error}; the training is lost: there is no checkpoint, and no room for one"
            raise StorageError(msg) from error
        name, command = left
        what = "the end of the training is kept" if kept else f"{name} is left"
        then = "save it" if kept else "resume from it"
        raise StorageError(f"{error}; {what}: then {then} with `{command}`") from error
    except BaseException:  # Ctrl-C while the model is saved, and whatever else
        run.keep_end()
        raise
