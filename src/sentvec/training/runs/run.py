"""A training run of any model: its corpus, its checkpoints, its held-out text, its end.

What is special to a model (matrices, workers) is in its class: `_resolved` fills in the settings
that depend on the corpus or the machine, `_go_on(run)` trains a `Run` to its end. Here is what
surrounds that, the same for all: encoding, going on from a checkpoint, and saving. What was asked
for is in `plan`, what happens between batches in `observer`.
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
from typing import Any

from numpy.typing import NDArray

from sentvec.errors import DivergedError, FormatError, StorageError
from sentvec.storage.checkpoint import CheckpointFolder
from sentvec.text.encoded import EncodedCorpus, encode_corpus
from sentvec.text.saved_corpus import reopen_corpus, save_corpus
from sentvec.text.sources import Source
from sentvec.text.tokenizer import Tokenizer
from sentvec.training import loop, matrices
from sentvec.training.batches import Position, Schedule
from sentvec.training.progress import Listener
from sentvec.training.rounds import Rounds
from sentvec.training.runs.best import Best
from sentvec.training.runs.metrics import NAME as METRICS
from sentvec.training.runs.metrics import MetricsWriter
from sentvec.training.runs.observer import Arrays, HeldOut, RunObserver
from sentvec.training.runs.plan import Plan, work_folder
from sentvec.training.summary import Summary, Trained
from sentvec.version import VERSION


@dataclass
class Run:
    """A run in work.

    Attributes:
        corpus: The encoded corpus.
        held_out: Held-out text with the same ids.
        settings: The model's settings as stored in `config.json`.
        plan: What surrounds it.
        listener: Hears about it.
        folder: Where the encoded corpus lies.
        checkpoints: Where its checkpoints are, if it has an output.
        start: Where an earlier session stopped.
        saved: The matrices of that session.
        best: The best epoch so far.
        observer: Writes its checkpoints, once it trains.
        end: Where it ended.
        trained: What an epoch takes from the corpus, where it is not the words of all sentences.
        words: Those that an epoch goes through.
    """

    corpus: EncodedCorpus
    held_out: EncodedCorpus | None
    settings: dict[str, Any]
    plan: Plan
    listener: Listener
    folder: Path
    checkpoints: CheckpointFolder | None
    start: Position = field(default_factory=Position)
    saved: Mapping[str, NDArray[Any]] | None = None
    best: Best | None = None
    observer: RunObserver | None = None
    end: Position = field(default_factory=Position)
    trained: Trained | None = None
    words: int = 0

    def __post_init__(self) -> None:
        self.words = self.words or len(self.corpus.ids)

    def restored(self, shapes: dict[str, tuple[int, int, str]]) -> tuple[Any, ...] | None:
        """The matrices of the checkpoint in memory, in the order of the shapes; None at a start.

        Args:
            shapes: Rows, columns and dtype of each by name.

        Raises:
            FormatError: They are not of these shapes.
        """
        if self.saved is None:
            return None
        result = []
        for name, (rows, columns, dtype) in shapes.items():
            source, shape = self.saved.get(name), (rows, columns)
            if source is None or source.shape != shape or source.dtype != dtype:
                found = "absent" if source is None else f"{source.dtype} {source.shape}"
                msg = f"{name} is {found} in the checkpoint, expected {dtype} {shape}"
                raise FormatError(msg + " - it is of another run")
            target = matrices.zeros(rows, columns, dtype)
            target[:] = source
            result.append(target)
        self.saved = None
        return tuple(result)

    def train(
        self,
        schedule: Schedule,
        make_worker: Callable[[int], loop.Worker],
        arrays: Arrays,
        *,
        untrained_loss: float,
        evaluate: Callable[[EncodedCorpus], HeldOut],
        rounds: Rounds | None = None,
        dealt: loop.Dealt | None = None,
        parts: Callable[[], dict[str, float]] = dict,
        collect: Callable[[], None] = lambda: None,
    ) -> Position:
        """Train to the end, with checkpoints and held-out loss on the way.

        Args:
            schedule: Epochs, learning rate, order, threads.
            make_worker: As `loop.run` takes it.
            arrays: What a checkpoint keeps.
            untrained_loss: As `loop.run` takes it.
            evaluate: Gives the loss on held-out text.
            rounds: As `loop.run` takes it.
            dealt: What deals out the batches, where that is not the corpus by its sentences.
            parts: As `loop.run` takes it.
            collect: Brings `arrays` up to date, where the workers change something else.
        """
        self.observer = RunObserver(self, arrays, evaluate, collect, schedule.rate)
        end = loop.run(
            dealt or self.corpus, schedule, make_worker, self.listener,
            untrained_loss=untrained_loss, start=self.start, observer=self.observer, rounds=rounds,
            parts=parts,
        )  # fmt: skip
        self.end = end
        self.observer.ended(end)
        self.observer.take_best()
        return end

    def summary(self) -> Summary:
        """What it was trained on, at its end."""
        epochs = self.end.tokens // self.words
        stats = self.corpus.stats
        trained = self.trained or Trained.on_words(stats)
        return Summary.of(stats, epochs, self.end.targets, trained)

    def keep_end(self) -> bool:
        """Keep the end of the training in a checkpoint, if it got there; whether it is kept."""
        return self.observer is not None and self.observer.keep_end()

    def left(self) -> tuple[str, str] | None:
        """For a message: the last checkpoint, with its progress, and the command to go on from it.

        None where there is nothing to go on from.
        """
        latest = self.checkpoints.latest() if self.checkpoints is not None else None
        if latest is None:
            return None
        name, position = latest
        done = position["tokens"] / (self.words * int(self.settings["epochs"]))
        return f"{name} ({done:.1%} of the run)", f"sentvec train --resume {self.plan.output}"


def train_run(
    cls: Any,
    sources: list[Source],
    tokenizer: Tokenizer,
    settings: dict[str, Any],
    plan: Plan,
    listener: Listener,
    *,
    min_count: int,
    max_vocab: int | None,
    unknown: bool = False,
) -> Any:
    """Count and encode the corpus, train a model of class `cls` on it, save it to the output.

    With `unknown`, unknown words stay in their sentences, as `encode_corpus` says.
    """
    with work_folder(plan) as (folder, checkpoints):
        if checkpoints is not None:
            listener = MetricsWriter(checkpoints.path / METRICS, listener)
        started = time.perf_counter()
        corpus = encode_corpus(
            sources, tokenizer, folder, min_count=min_count, max_vocab=max_vocab,
            vocabulary=plan.init.vocabulary if plan.init else None, grow=plan.init is not None,
            unknown=unknown,
        )  # fmt: skip
        held_out = None
        if plan.validate is not None:
            place = folder / "held-out"
            place.mkdir()
            held_out = encode_corpus(
                plan.validate, tokenizer, place, vocabulary=corpus.vocabulary, unknown=unknown
            )
        listener.corpus(corpus.stats, len(corpus.vocabulary), time.perf_counter() - started)
        run = Run(corpus, held_out, settings, plan, listener, folder, checkpoints)
        return finish(cls, run, tokenizer)


def finish(cls: Any, run: Run, tokenizer: Tokenizer) -> Any:
    """Train a run to its end, make the model and save it."""
    run.settings.update(cls._resolved(run.settings, run.corpus))
    if run.checkpoints is not None and run.saved is None:
        held_out = save_corpus(run.held_out, run.folder / "held-out") if run.held_out else None
        run.checkpoints.write_run(
            {
                "model": cls.KIND,
                "settings": run.settings,
                "tokenizer": tokenizer.to_config(),
                "corpus": save_corpus(run.corpus, run.folder),
                "held_out": held_out,
                "patience": run.plan.patience,
                "validate_every": run.plan.validate_every,
            }
        )
    with _nothing_lost(run):
        model = _trained(cls, run, tokenizer)
        run.listener.summary(run.summary())
        if run.plan.output is not None and run.checkpoints is not None:  # both or neither
            model.save(run.plan.output)
            with contextlib.suppress(OSError):
                (run.checkpoints.path / METRICS).replace(run.plan.output / METRICS)
            run.checkpoints.remove()
    return model


def _trained(cls: Any, run: Run, tokenizer: Tokenizer) -> Any:
    tensors, about = cls._go_on(run)
    about["training"]["threads"] = run.settings["threads"]
    about["training"]["finished"] = datetime.datetime.now(datetime.UTC).isoformat(
        timespec="seconds"
    )
    for tensor in tensors.values():
        tensor.flags.writeable = False
    config = {
        "model": cls.KIND,
        "sentvec_version": VERSION,
        "settings": run.settings,
        "tokenizer": tokenizer.to_config(),
        "corpus": dataclasses.asdict(run.corpus.stats),
        **about,
    }
    vocabulary = run.corpus.vocabulary  # of the corpus, the model keeps nothing else
    return cls(vocabulary=lambda: vocabulary, tokenizer=tokenizer, tensors=tensors, config=config)


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
            f"{error}; {name} is left: `{command}` goes on from it with the same settings, "
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
        then = "save it" if kept else "go on from it"
        raise StorageError(f"{error}; {what}: then {then} with `{command}`") from error
    except BaseException:  # Ctrl-C while the model is saved, and whatever else
        run.keep_end()
        raise


def resume_run(cls: Any, checkpoints: CheckpointFolder, plan: Plan, listener: Listener) -> Any:
    """Go on with an interrupted run of class `cls`; returns the model, saved to its folder."""
    about = checkpoints.read_run()
    position, saved = checkpoints.read()
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
        corpus, held_out, about["settings"], plan, listener, checkpoints.corpus, checkpoints,
        Position(**position), saved, best,
    )  # fmt: skip
    return finish(cls, run, Tokenizer(**about["tokenizer"]))
