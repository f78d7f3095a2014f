"""Trainable: what every model that can be trained has: `train`. And `resume`, for all of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Self

from sentvec.errors import SettingsError
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.kinds.kind import KINDS, trainer_of
from sentvec.models.kinds.load import opened_model
from sentvec.storage.checkpoint import CheckpointFolder
from sentvec.storage.folder import check_target, restore
from sentvec.storage.lock import run_lock
from sentvec.text.sources import CorpusLike, open_corpus
from sentvec.training.progress import Listener
from sentvec.training.runs.interval import Interval
from sentvec.training.runs.plan import Plan
from sentvec.training.runs.run import Result, resume_run, start_run
from sentvec.training.trainer import Trainer


class Trainable(StoredEncoder):
    """A model that is made by training; how is told by the trainer in the record of its kind."""

    @classmethod
    def train(
        cls,
        corpus: CorpusLike,
        *,
        preset: str | None = None,
        output: str | os.PathLike[str] | None = None,
        checkpoint_every: str | None = None,
        validate: CorpusLike | None = None,
        validate_every: str | None = None,
        patience: int | None = None,
        init_from: str | os.PathLike[str] | StoredEncoder | None = None,
        listener: Listener | None = None,
        work_dir: str | os.PathLike[str] | None = None,
        **settings: Any,
    ) -> Self:
        """Train a model on plain text, one sentence a line.

        Sent2Vec learns from each sentence alone. Siamese CBOW and Skip-Thought learn from sentences
        in order: sentences are neighbours within a document, which ends at a blank line or with the
        file.

        Args:
            corpus: A path, a glob, a list of paths (plain, .gz, .xz, .bz2 or .zst), or an iterable
                of str with one sentence each, an empty one between documents.
            preset: Where settings start from, e.g. `paper/books-bigrams`; `PRESETS` of the class of
                settings has the names.
            output: Folder for the model. With it, the model is saved at the end, an interrupted run
                leaves a checkpoint there, and `sentvec.resume` continues it.
            checkpoint_every: Also write a checkpoint at this interval: `10m`, `2h`, `5%`.
            validate: Held-out text; its loss is reported after every epoch.
            validate_every: Also measure the held-out loss at this interval: `10m`, `5%`.
            patience: Stop after this many epochs without improvement of the held-out loss, and keep
                the best vectors.
            init_from: A model to start from, its folder, or a file that `sentvec.load` opens.
                Sent2Vec continues a Sent2Vec model: its words keep their vectors and ids, so its
                n-grams keep their buckets; words it does not have are added, and counts add up;
                what shapes the vectors (dim, ngrams, buckets, tokenizer) is the model's. Siamese
                CBOW starts from any word vectors: words of the corpus that have a vector there
                start with it, the others at random; dim is that of the vectors. Skip-Thought starts
                from none.
            listener: Hears about the corpus, the memory and the progress.
            work_dir: Without `output`, where the encoded corpus is kept while training (4 bytes a
                word, 8 a sentence); by default where the system keeps temporary files.
            **settings: Fields of the settings of the class (`Sent2VecSettings`,
                `SiameseCBOWSettings`, `SkipThoughtSettings`): dim, epochs, lr, min_count, threads,
                seed and so on. Those not given come from the preset.

        Raises:
            SettingsError, CorpusError, SourceError: An argument cannot work; nothing was done.
            MissingExtraError: A package the model needs is not installed.
            StorageError: The output or the encoded corpus cannot be written, or another run is in
                progress on that output.
            NotEnoughMemoryError: More memory is needed than there is; nothing was allocated.
            DivergedError: The vectors are no longer finite; the last checkpoint is kept.
        """
        trainer_class = _trainer_class(cls)
        chosen = trainer_class.SETTINGS.make(preset, **settings)
        given = {name: value for name, value in settings.items() if value is not None}
        if init_from is not None and trainer_class.INIT_FROM is None:
            msg = f"init_from is given, and a {cls.KIND} model starts from no other model - "
            raise SettingsError(msg + "leave init_from out")
        init = None if init_from is None else opened_model(init_from, "init_from")
        trainer = trainer_class.for_new_run(chosen, given, init)
        trainer.check()
        plan = Plan.make(
            output=output,
            checkpoint_every=checkpoint_every,
            validate=validate,
            patience=patience,
            work_dir=work_dir,
            validate_every=validate_every,
        )
        sources = open_corpus(corpus)
        return start_run(trainer, sources, plan, listener or Listener(), cls.from_run)

    @classmethod
    def from_run(cls, result: Result) -> Self:
        """The model of the parts that a run ended with."""
        vocabulary = result.vocabulary  # of the run, the model keeps nothing else
        return cls(
            vocabulary=lambda: vocabulary,
            tokenizer=result.tokenizer,
            tensors=result.tensors,
            config=result.config,
        )


def _trainer_class(cls: type[Trainable]) -> type[Trainer[Any, Any]]:
    """How a class of models is trained, by the record of its kind.

    Raises:
        SettingsError: There is no such record.
    """
    kind = KINDS.get(cls.KIND)
    if kind is None or kind.trainer is None:
        msg = f"{cls.__name__} is of kind {cls.KIND!r}, which has no trainer - register a Kind"
        raise SettingsError(msg + " with one (models.kinds.kind)")
    return kind.trainer


def resume(
    folder: str | os.PathLike[str],
    *,
    checkpoint_every: str | None = None,
    listener: Listener | None = None,
) -> StoredEncoder:
    """Resume a run that was interrupted, from its last checkpoint, and save its model.

    Args:
        folder: The `output` of the run; its checkpoints lie in `checkpoints` there.
        checkpoint_every: Write further checkpoints at this interval: `10m`, `2h`, `5%`.
        listener: Hears about the progress.

    Returns:
        The trained model. With one thread it is, to the bit, what the run would have given
        without the interruption.

    Raises:
        SourceError: There is no checkpoint.
        FormatError: It is damaged, or of another corpus or other settings than its run.
        StorageError: The model could not be written to the folder, or the run is in progress.
    """
    with run_lock(folder):
        restore(folder)
        checkpoints = CheckpointFolder(folder)
        trainer_class = trainer_of(checkpoints.read_run().get("model"), folder)
        interval = Interval.parse(checkpoint_every) if checkpoint_every is not None else None
        check_target(folder)
        model_class = KINDS[trainer_class.KIND].model
        assert issubclass(model_class, Trainable)
        plan = Plan(output=Path(folder), interval=interval)
        return resume_run(
            trainer_class, checkpoints, plan, listener or Listener(), model_class.from_run
        )
