"""Open a model of any kind, or go on with the training of one."""

from __future__ import annotations

import os
from pathlib import Path

from sentvec.errors import FormatError
from sentvec.formats.open import open_foreign
from sentvec.formats.skip_thoughts.released import is_released
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.kinds.foreign import KINDS, from_foreign, kind_named
from sentvec.models.sent2vec.model import Sent2Vec
from sentvec.models.siamese_cbow.model import SiameseCBOW
from sentvec.storage.checkpoint import CheckpointFolder
from sentvec.storage.folder import CONFIG, check_target, open_folder, restore
from sentvec.storage.lock import run_lock
from sentvec.text.tokenizer import Tokenizer
from sentvec.training.progress import Listener
from sentvec.training.runs.interval import Interval
from sentvec.training.runs.plan import Plan
from sentvec.training.runs.run import resume_run

# Kinds of models whose runs can be resumed.
_TRAINED = (Sent2Vec.KIND, SiameseCBOW.KIND, "skip-thought")


def load(
    path: str | os.PathLike[str], *, tokenizer: Tokenizer | str | None = None
) -> StoredEncoder:
    """Open a model, whatever its size: its matrices are mapped, not read.

    Args:
        path: A model folder; or a file of Sent2Vec or fastText (`.bin`, `.ftz`), or of word vectors
            (word2vec binary or text, GloVe, `.vec`), gzipped or not; or a folder of the released
            files of Skip-Thought. What it is, is told from its content.
        tokenizer: Cuts texts into words; by default as the folder says, and for a file of another
            program at white space, with nothing changed (`whitespace`).

    Raises:
        SourceError: There is nothing at the path.
        FormatError: It is no model, was written by a later version, or is damaged.
        SettingsError: There is no such tokenizer.
    """
    chosen = Tokenizer(tokenizer) if isinstance(tokenizer, str) else tokenizer
    # What is no path at all, with a NUL in it, is an error of that reader too.
    if "\0" in os.fsdecode(path) or Path(path).is_file():
        return from_foreign(open_foreign(Path(path)), chosen)
    if is_released(Path(path)) and not (Path(path) / CONFIG).exists():
        from sentvec.models.skip_thought.released import from_released

        return from_released(Path(path), chosen)
    opened = open_folder(path)
    kind = opened.config["model"]
    if kind not in KINDS:
        msg = f"{path} holds a model of kind {kind!r}, this sentvec knows {', '.join(KINDS)}"
        raise FormatError(msg + " - update sentvec")
    model = kind_named(kind).from_folder(opened)
    if chosen is not None:
        model.tokenizer = chosen
    return model


def resume(
    folder: str | os.PathLike[str],
    *,
    checkpoint_every: str | None = None,
    listener: Listener | None = None,
) -> StoredEncoder:
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
    with run_lock(folder):
        restore(folder)
        checkpoints = CheckpointFolder(folder)
        kind = checkpoints.read_run().get("model")
        if kind not in _TRAINED:
            msg = f"{folder} holds a run of a model of kind {kind!r}, this sentvec knows "
            raise FormatError(msg + ", ".join(_TRAINED) + " - update sentvec")
        interval = Interval.parse(checkpoint_every) if checkpoint_every is not None else None
        check_target(folder)
        plan = Plan(Path(folder), interval, None, None, None)
        model: StoredEncoder = resume_run(
            kind_named(kind), checkpoints, plan, listener or Listener()
        )
        return model
