"""What is known of a model: parsed once, checked once, read-only, and written back whole."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from sentvec.storage.config import ModelConfig
from sentvec.storage.records import Frozen, Sizes, StoredSettings

WHOLE = {
    "format_version": 2,
    "model": "sent2vec",
    "sentvec_version": "0.1.0",
    "settings": {"dim": 4, "ngrams": 2, "tokenizer": "simple", "later": {"deep": [1]}, "none": None},
    "tokenizer": {"name": "simple", "lowercase": True},
    "corpus": {"sentences": 3, "tokens": 9, "later": "text"},
    "sizes": {"dim": 4, "vocabulary": 3, "buckets": 5, "later": 7},
    "training": {"loss": 1.5, "seconds": 2, "threads": 1},
    "expanded": [{"file": "glove.txt", "shared": 2, "added": 1, "r2": None}],
    "later": {"a": 1},
}  # fmt: skip


@pytest.fixture
def config():
    return ModelConfig.from_json(WHOLE)


def test_what_was_read_is_written_back_with_the_keys_that_are_not_known(config):
    assert config.to_json() == WHOLE
    assert list(config.to_json())[:-1] == list(WHOLE)[:-1]
    assert json.loads(json.dumps(config.to_json())) == WHOLE
    assert config == WHOLE


def test_fields_have_the_values(config):
    assert (config.kind, config.sizes.buckets, config.settings.ngrams) == ("sent2vec", 5, 2)
    assert (config.training.loss, config.expanded[0].added, config.source) == (1.5, 1, None)
    assert config["sizes"]["dim"] == config.sizes.dim


@pytest.mark.parametrize("travel", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_it_travels(config, travel):
    assert travel(config) == config
    assert type(travel(config)) is ModelConfig
    assert travel(config).settings == config.settings


def test_nothing_can_be_assigned(config):
    with pytest.raises(AttributeError):
        config.kind = "other"
    for part in (config["settings"], config["sizes"], config.settings.stored, config.tokenizer):
        with pytest.raises(TypeError, match="read-only"):
            part["dim"] = 5
        with pytest.raises(TypeError, match="read-only"):
            part.update(dim=5)
    assert config.to_json() == WHOLE
    assert type(config.to_json()["sizes"]) is dict


def test_values_are_set_on_a_copy(config):
    other = config.with_values(sizes=config.sizes.with_values(dim=9))
    assert (other.sizes.dim, other["sizes"]["later"], config.sizes.dim) == (9, 7, 4)


def test_numbers_may_be_written_with_a_decimal_point():
    sizes = Sizes.from_json({"dim": 4.0, "vocabulary": 3.0})
    assert (repr(sizes.dim), repr(sizes.vocabulary)) == ("4", "3")
    assert repr(StoredSettings.from_json({"ngrams": 2.0}).ngrams) == "2"


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("sizes", "dim", 0), ("sizes", "dim", None), ("sizes", "vocabulary", -1),
        ("sizes", "vocabulary", 1.5), ("sizes", "buckets", "five"), ("sizes", "buckets", True),
        ("sizes", "later", "seven"), ("settings", "ngrams", "two"), ("settings", "ngrams", -1),
        ("settings", "layout_version", "2"), ("corpus", "sentences", "three"),
        ("training", "loss", "low"), ("expanded", 0, 3), ("tokenizer", None, 3),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(part, key, value):
    values = copy.deepcopy(WHOLE)
    if key is None:
        values[part] = value
    else:
        values[part][key] = value
    with pytest.raises((TypeError, ValueError)):
        ModelConfig.from_json(values)


@pytest.mark.parametrize(
    "part", ["corpus", "training", "source", "encoding", "combined", "expanded"]
)
def test_null_counts_as_absent(part):
    config = ModelConfig.from_json({**WHOLE, part: None})
    assert not getattr(config, part)
    assert part not in config.to_json()


def test_a_frozen_object_is_a_dict_for_json_and_comparisons():
    frozen = Frozen(a=1)
    assert json.dumps(frozen) == '{"a": 1}'
    assert frozen == {"a": 1}
    assert type(pickle.loads(pickle.dumps(frozen))) is Frozen
    assert {**frozen, "b": 2} == {"a": 1, "b": 2}
