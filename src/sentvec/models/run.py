"""A training run of any model: its corpus, its checkpoints, its held-out text, its end.

What is special to a model (matrices, workers) is in its class: `_resolved` fills in the settings
that depend on the corpus or the machine, `_go_on(run)` trains a `Run` to its end. Here is what
surrounds that, the same for all: where the encoded corpus is kept, when a checkpoint is written,
what an interruption leaves behind, and saving.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from numpy.typing import NDArray

from sentvec.errors import FormatError, SettingsError, StorageError
from sentvec.models.best import Best
from sentvec.models.encoder import SentenceEncoder
from sentvec.storage.checkpoint import CheckpointFolder
from sentvec.storage.folder import check_target
from sentvec.text.encoded import EncodedCorpus, encode_corpus
from sentvec.text.sources import CorpusLike, Source, open_corpus
from sentvec.text.stored import reopen, store
from sentvec.text.tokenizer import Tokenizer
from sentvec.training import loop, matrices
from sentvec.training.batches import Position, Schedule
from sentvec.training.interval import Interval, Timer
from sentvec.training.metrics import NAME as METRICS
from sentvec.training.metrics import MetricsWriter
from sentvec.training.progress import Listener
from sentvec.training.rounds import Rounds
from sentvec.version import VERSION

Arrays = dict[str, matrices.Matrix]


@dataclass(frozen=True, slots=True)
class Plan:
    """What surrounds a run. Fields as the arguments of `train` of the same names."""

    output: Path | None
    interval: Interval | None
    validate: list[Source] | None
    patience: int | None
    work_dir: str | os.PathLike[str] | None
    init: SentenceEncoder | None = None

    @classmethod
    def make(
        cls,
        output: str | os.PathLike[str] | None,
        checkpoint_every: str | None,
        validate: CorpusLike | None,
        patience: int | None,
        work_dir: str | os.PathLike[str] | None,
        init: SentenceEncoder | None = None,
    ) -> Self:
        """Check the arguments of `train`, before anything is done."""
        if checkpoint_every is not None and output is None:
            msg = "checkpoint_every needs a place - give output, the folder of the model"
            raise SettingsError(msg)
        if patience is not None and (type(patience) is not int or patience < 1):
            msg = f"patience is {patience!r} - expected a whole number of epochs from 1"
            raise SettingsError(msg)
        if patience is not None and validate is None:
            msg = "patience needs held-out text - give validate"
            raise SettingsError(msg)
        interval = Interval.parse(checkpoint_every) if checkpoint_every is not None else None
        if output is not None:
            check_target(output)
        sources = open_corpus(validate) if validate is not None else None
        place = Path(output) if output else None
        return cls(place, interval, sources, patience, work_dir, init)


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

    def restored(self, shapes: dict[str, tuple[int, int]], dtype: str) -> tuple[Any, ...] | None:
        """The matrices of the checkpoint in memory, in the order of the shapes; None at a start.

        Raises:
            FormatError: They are not of these shapes.
        """
        if self.saved is None:
            return None
        result = []
        for name, shape in shapes.items():
            source = self.saved.get(name)
            if source is None or source.shape != shape or source.dtype != dtype:
                found = "absent" if source is None else f"{source.dtype} {source.shape}"
                msg = f"{name} is {found} in the checkpoint, expected {dtype} {shape}"
                raise FormatError(msg + " - it is of another run")
            target = matrices.zeros(*shape, dtype)
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
        evaluate: Callable[[EncodedCorpus], float],
        rounds: Rounds | None = None,
    ) -> Position:
        """Train to the end, with checkpoints and held-out loss on the way."""
        observer = _Observer(self, arrays, evaluate)
        end = loop.run(
            self.corpus, schedule, make_worker, self.listener,
            untrained_loss=untrained_loss, start=self.start, observer=observer, rounds=rounds,
        )  # fmt: skip
        observer.take_best()
        return end


class _Observer(loop.Observer):
    """Writes checkpoints and measures the held-out loss, while the workers stand still."""

    def __init__(
        self, run: Run, arrays: Arrays, evaluate: Callable[[EncodedCorpus], float]
    ) -> None:
        self._run, self._arrays, self._evaluate = run, arrays, evaluate
        self._best = run.best or Best(run.folder)
        self._total = len(run.corpus.ids) * int(run.settings["epochs"])
        self._timer = Timer(run.plan.interval, run.start.tokens / self._total)

    def due(self, position: Position, done: float) -> bool:
        return self._run.checkpoints is not None and self._timer.due(done)

    def pause(self, position: Position) -> None:
        if self._run.checkpoints is None:
            return
        self._timer.reset(position.tokens / self._total)
        state = {**dataclasses.asdict(position), "best": self._best.state()}
        try:
            self._run.checkpoints.write(state, self._arrays)
        except StorageError as error:
            self._run.listener.warning(str(error))
        else:
            self._best.forget_others()

    def epoch_end(self, position: Position) -> bool:
        held_out, patience = self._run.held_out, self._run.plan.patience
        if held_out is None:
            return True
        epoch, loss = position.epoch + 1, self._evaluate(held_out)
        self._run.listener.validation(epoch, loss)
        if loss < self._best.loss:
            self._keep(epoch, loss)
        return patience is None or epoch - self._best.epoch < patience

    def take_best(self) -> None:
        """Put the vectors of the best epoch back, where the last was not the best."""
        kept = self._best.read()
        if kept is not None:
            for name, array in self._arrays.items():
                array[:] = kept[name]

    def _keep(self, epoch: int, loss: float) -> None:
        if self._run.plan.patience is None:
            return
        try:
            self._best.keep(epoch, loss, self._arrays)
        except OSError as error:
            msg = (
                f"the vectors of epoch {epoch} are not kept: {error.strerror or error} - make room"
            )
            self._run.listener.warning(msg)
            return
        if self._run.checkpoints is None:
            self._best.forget_others()


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
) -> Any:
    """Count and encode the corpus, train a model of class `cls` on it, save it to the output."""
    with _work_folder(plan) as (folder, checkpoints):
        if checkpoints is not None:
            listener = MetricsWriter(checkpoints.path / METRICS, listener)
        started = time.perf_counter()
        corpus = encode_corpus(
            sources, tokenizer, folder, min_count=min_count, max_vocab=max_vocab,
            vocabulary=plan.init.vocabulary if plan.init else None, grow=plan.init is not None,
        )  # fmt: skip
        held_out = None
        if plan.validate is not None:
            place = folder / "held-out"
            place.mkdir()
            held_out = encode_corpus(plan.validate, tokenizer, place, vocabulary=corpus.vocabulary)
        listener.corpus(corpus.stats, len(corpus.vocabulary), time.perf_counter() - started)
        run = Run(corpus, held_out, settings, plan, listener, folder, checkpoints)
        return finish(cls, run, tokenizer)


def finish(cls: Any, run: Run, tokenizer: Tokenizer) -> Any:
    """Train a run to its end, make the model and save it."""
    run.settings.update(cls._resolved(run.settings, run.corpus))
    if run.checkpoints is not None and run.saved is None:
        held_out = store(run.held_out, run.folder / "held-out") if run.held_out else None
        run.checkpoints.write_run(
            {
                "model": cls.KIND,
                "settings": run.settings,
                "tokenizer": tokenizer.to_config(),
                "corpus": store(run.corpus, run.folder),
                "held_out": held_out,
                "patience": run.plan.patience,
            }
        )
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
    model = cls(vocabulary=lambda: vocabulary, tokenizer=tokenizer, tensors=tensors, config=config)
    if run.plan.output is not None and run.checkpoints is not None:  # a run has both or neither
        model.save(run.plan.output)
        with contextlib.suppress(OSError):
            (run.checkpoints.path / METRICS).replace(run.plan.output / METRICS)
        run.checkpoints.remove()
    return model


def resume_run(cls: Any, checkpoints: CheckpointFolder, plan: Plan, listener: Listener) -> Any:
    """Go on with an interrupted run of class `cls`; returns the model, saved to its folder."""
    about = checkpoints.read_run()
    position, saved = checkpoints.read()
    best = Best(checkpoints.corpus, **(position.pop("best") or {}))
    best.read()  # whether it is whole
    corpus = reopen(checkpoints.corpus, about["corpus"])
    held_out = None
    if about["held_out"] is not None:
        held_out = reopen(checkpoints.corpus / "held-out", about["held_out"])
    plan = dataclasses.replace(plan, patience=about["patience"])
    listener = MetricsWriter(checkpoints.path / METRICS, listener)
    listener.corpus(corpus.stats, len(corpus.vocabulary), 0.0)
    run = Run(
        corpus, held_out, about["settings"], plan, listener, checkpoints.corpus, checkpoints,
        Position(**position), saved, best,
    )  # fmt: skip
    return finish(cls, run, Tokenizer(**about["tokenizer"]))


@contextmanager
def _work_folder(plan: Plan) -> Iterator[tuple[Path, CheckpointFolder | None]]:
    """Where the encoded corpus lies while training: with the checkpoints, or for the time being.

    With an output, it stays where the run ends before its time and left a checkpoint.
    """
    if plan.output is None:
        with _temporary_folder(plan.work_dir) as folder:
            yield Path(folder), None
        return
    checkpoints = CheckpointFolder(plan.output)
    checkpoints.start()
    try:
        yield checkpoints.corpus, checkpoints
    finally:
        if not checkpoints.exists():
            checkpoints.remove()


def _temporary_folder(place: str | os.PathLike[str] | None) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="sentvec-", dir=place)
    except OSError as error:
        msg = (
            f"cannot work in {place or 'the folder for temporary files'}: {error.strerror or error}"
        )
        raise StorageError(msg + " - expected a folder that can be written to") from error
