"""Trainers travel: what trains a batch can be sent to another process, whatever the kind."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

from sentvec.models.kinds.kind import trained_kinds
from sentvec.text.encoded import encode_corpus
from sentvec.text.sources import open_corpus
from sentvec.training.trainer import Trainer
from support.behaviour import planted_corpus

LINES = planted_corpus()[:220]
SETTINGS = {
    "sent2vec": {"dim": 8, "min_count": 1, "threads": 1, "buckets": 100},
    "siamese-cbow": {"dim": 8, "min_count": 1, "threads": 1, "batch": 5},
    "skip-thought": {
        "dim": 8, "word_dim": 8, "min_count": 1, "threads": 1, "device": "cpu", "batch": 16,
    },
}  # fmt: skip

# Another process, which is sent all that it needs and sends back what it made of it.
ELSEWHERE = """
import pickle, sys
trainer, data, arrays, batch = pickle.load(sys.stdin.buffer)
with trainer.computing():
    [worker] = trainer.workers(data, [arrays])
    loss = worker(batch)
    worker.collect(arrays)
sys.stdout.buffer.write(pickle.dumps((loss, arrays)))
"""


@pytest.mark.parametrize("kind", SETTINGS)
def test_a_trainer_is_sent_to_another_process_and_trains_a_batch_there(kind, tmp_path):
    trainer_class = trained_kinds()[kind]
    given = SETTINGS[kind]
    trainer: Trainer = trainer_class.for_new_run(trainer_class.SETTINGS.make(**given), given)
    corpus = encode_corpus(
        open_corpus(LINES), trainer.tokenizer, tmp_path, min_count=1, unknown=trainer.KEEPS_UNKNOWN
    )
    trainer = trainer.resolve(corpus)
    data = trainer.data(corpus)
    arrays = trainer.start(data)
    before = {name: array.copy() for name, array in arrays.items()}
    batch = data.batches(trainer.schedule()).next_batch()
    sent = pickle.dumps((trainer, data, arrays, batch))
    came = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        input=sent,
        stdout=subprocess.PIPE,
        check=True,
        timeout=600,
    )
    loss, trained = pickle.loads(came.stdout)
    with trainer.computing():
        [worker] = trainer.workers(data, [arrays])
        own = worker(batch)
        worker.collect(arrays)
    assert own[1] == loss[1] > 0
    # The same machine, library and arithmetic: in our kernels to the bit, in torch but for rounding
    assert own[0] == pytest.approx(loss[0], rel=1e-5)
    assert any(not np.array_equal(before[name], array) for name, array in arrays.items())
    for name, array in arrays.items():
        np.testing.assert_allclose(trained[name], array, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", SETTINGS)
def test_the_arrays_at_the_start_have_the_shapes_that_are_told(kind, tmp_path):
    trainer_class = trained_kinds()[kind]
    given = SETTINGS[kind]
    trainer = trainer_class.for_new_run(trainer_class.SETTINGS.make(**given), given)
    corpus = encode_corpus(
        open_corpus(LINES), trainer.tokenizer, tmp_path, min_count=1, unknown=trainer.KEEPS_UNKNOWN
    )
    trainer = trainer.resolve(corpus)
    data = trainer.data(corpus)
    found = {name: (*a.shape, str(a.dtype)) for name, a in trainer.start(data).items()}
    assert found == trainer.shapes(data)
    assert set(trainer.model_arrays(data, trainer.start(data))) <= set(found)
    assert data.words == sum(len(batch.ids) for batch in data.batches(trainer.schedule()))
