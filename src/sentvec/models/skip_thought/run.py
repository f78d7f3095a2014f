"""A run of Skip-Thought to its end: what an epoch takes, the worker, and what is saved."""

from __future__ import annotations

from typing import Any

import numpy as np

from sentvec.errors import DivergedError
from sentvec.models.skip_thought.parts import Part
from sentvec.models.skip_thought.settings import SkipThoughtSettings
from sentvec.models.skip_thought.trainer import Worker, memory_of, shape_of, triples_of
from sentvec.networks import require_torch
from sentvec.networks.shape import FIRST_WORD
from sentvec.training import matrices
from sentvec.training.batches import Schedule
from sentvec.training.runs.run import Run
from sentvec.training.summary import Trained


def train_to_end(run: Run) -> tuple[dict[str, Any], dict[str, Any]]:
    """Train a run to its end; returns the tensors and what `config.json` says of them."""
    require_torch()
    from sentvec.networks.inference import using_threads
    from sentvec.networks.learner import device_named

    settings = SkipThoughtSettings.from_config(run.settings)
    device_named(settings.device)  # a run may go on elsewhere
    n_words = len(run.corpus.vocabulary)
    triples = triples_of(run.corpus, settings)
    if run.held_out is not None:  # now, not after the first epoch
        triples_of(run.held_out, settings, "the held-out text")
    run.words, middles = int(triples.lengths.sum()), len(triples.middles)
    edges = run.corpus.stats.sentences - middles - triples.too_long
    skipped = {"edge": edges, "too_long": triples.too_long}
    run.trained = Trained(middles, run.words, skipped)
    need = memory_of(settings, n_words)
    run.listener.memory(need)
    if settings.device == "cpu":
        need.check()
    schedule = Schedule(
        settings.epochs, settings.lr, settings.shuffle, settings.seed, 1, settings.decay
    )
    with using_threads(settings.threads or 1):
        worker = Worker(triples, settings, n_words, schedule)
        arrays = worker.learner.arrays()
        restored = run.restored({name: (*a.shape, str(a.dtype)) for name, a in arrays.items()})
        if restored is not None:
            worker.learner.restore(dict(zip(arrays, restored, strict=True)))
            arrays = worker.learner.arrays()
        end = run.train(
            schedule,
            lambda number: worker,
            arrays,
            untrained_loss=float(np.log(n_words + FIRST_WORD)),
            evaluate=worker.evaluate,
            dealt=triples,
            parts=worker.parts,
            collect=lambda: worker.learner.collect(arrays),
        )
    shape = shape_of(settings, n_words)
    tensors = {name: arrays[name].reshape(size) for name, size in shape.tensors().items()}
    for name in tensors:
        if matrices.first_row_not_finite(arrays[name]) is not None:
            msg = f"training diverged: {name} is not finite at the end - lower lr"
            raise DivergedError(msg)
    sizes = {"dim": settings.dim, "vocabulary": n_words, "word_dim": settings.word_dim,
             "trained_words": n_words}  # fmt: skip
    training = {"loss": round(end.mean_loss, 6), "seconds": round(end.seconds, 2)}
    return tensors, {
        "sizes": sizes, "training": training, "parts": [Part(shape).to_config()],
        "encoding": {"end_token": True, "normalize_parts": False},
    }  # fmt: skip
