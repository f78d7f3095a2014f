"""Open a model of any kind, or go on with the training of one."""

from __future__ import annotations

import os
from pathlib import Path

from sentvec.errors import FormatError
from sentvec.models.encoder import SentenceEncoder
from sentvec.models.plan import Plan
from sentvec.models.run import resume_run
from sentvec.models.sent2vec import Sent2Vec
from sentvec.storage.checkpoint import CheckpointFolder
from sentvec.storage.folder import check_target, open_folder, restore
from sentvec.storage.lock import held
from sentvec.training.interval import Interval
from sentvec.training.progress import Listener

_KINDS: dict[str, type[SentenceEncoder]] = {Sent2Vec.KIND: Sent2Vec}


def load(folder: str | os.PathLike[str]) -> SentenceEncoder:
    """Open a saved model in milliseconds, whatever its size: its matrices are mapped, not read.

    Raises:
        SourceError: There is nothing at the path.
        FormatError: It is no model folder, was written by a later version, or is damaged.
    """
    opened = open_folder(folder)
    kind = opened.config["model"]
    if kind not in _KINDS:
        msg = f"{folder} holds a model of kind {kind!r}, this sentvec knows {', '.join(_KINDS)}"
        raise FormatError(msg + " - update sentvec")
    return _KINDS[kind].from_folder(opened)


def resume(
    folder: str | os.PathLike[str],
    *,
    checkpoint_every: str | None = None,
    listener: Listener | None = None,
) -> SentenceEncoder:
    """Go on with a run that was interrupted, from its last checkpoint, and save its model.

    Args:
        folder: The `output` of the run; its checkpoints lie in `checkpoints` there.
        checkpoint_every: Write further checkpoints every so often: `10m`, `2h`, `5%`.
        listener: Hears about the progress.

    Returns:
        The trained model. With one thread it is, to the bit, what the run would have given
        without the interruption.

    Raises:
        SourceError: There is no checkpoint.
        FormatError: It is damaged, or of another corpus or other settings than its run.
        StorageError: The model could not be written to the folder, or the run is still at work.
    """
    with held(folder):
        restore(folder)
        checkpoints = CheckpointFolder(folder)
        kind = checkpoints.read_run().get("model")
        if kind not in _KINDS:
            msg = f"{folder} holds a run of a model of kind {kind!r}, this sentvec knows "
            raise FormatError(msg + ", ".join(_KINDS) + " - update sentvec")
        interval = Interval.parse(checkpoint_every) if checkpoint_every is not None else None
        check_target(folder)
        plan = Plan(Path(folder), interval, None, None, None)
        model: SentenceEncoder = resume_run(_KINDS[kind], checkpoints, plan, listener or Listener())
        return model
