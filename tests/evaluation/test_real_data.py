"""The readers on the released sets, where they are at hand."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sentvec import evaluate
from sentvec.evaluation.methods.correlation import correlate
from sentvec.evaluation.tasks.data import join_pairs
from sentvec.evaluation.tasks.layout import available
from sentvec.evaluation.tasks.readers import load_task
from sentvec.evaluation.tasks.suites import TASKS

TREES = ("original", "tokenised")
AT_HAND = ("MR", "CR", "SUBJ", "MPQA", "TREC", "MSRP", "SICK-R", "SICK-E", "STS12", "STS13",
           "STS14", "STS15", "SICK")  # fmt: skip

# Pearson of a word-overlap cosine with the gold scores, found independently of these readers.
OVERLAP = {
    "deft-forum": 0.446,
    "deft-news": 0.622,
    "headlines": 0.650,
    "images": 0.645,
    "OnWN": 0.512,
    "tweet-news": 0.755,
    "SICK": 0.608,
}


@pytest.fixture(params=TREES)
def tree(request, shared):
    path = shared / "data" / "eval" / request.param
    if not path.is_dir():
        pytest.skip(f"{path} is absent")
    return path


def load(tree, name, *, lowercase=True, **options):
    return load_task(TASKS[name], tree, lowercase=lowercase, **options)


def test_what_is_at_hand_can_be_run_and_the_rest_says_why_not(tree):
    found = available(tree)
    assert found.ready == AT_HAND
    assert set(found.problems) == set(TASKS) - set(AT_HAND)


@pytest.mark.parametrize("name", AT_HAND)
def test_counts_are_those_of_the_papers(tree, name):
    data = load(tree, name)
    assert data.counts == TASKS[name].expected
    assert not any("counts differ" in remark for remark in data.remarks)
    assert len(data.files) == sum(1 + bool(file.companions) for file in TASKS[name].files)


def test_classes_are_as_many_as_in_the_released_sets(tree):
    def counts(part):
        return np.bincount(part.labels).tolist()

    mr, cr, subj, mpqa = (load(tree, name).parts["all"] for name in ("MR", "CR", "SUBJ", "MPQA"))
    assert [counts(part) for part in (mr, cr, subj, mpqa)] == [
        [5331, 5331], [1368, 2407], [5000, 5000], [7294, 3312],
    ]  # fmt: skip
    trec = load(tree, "TREC").parts  # ABBR DESC ENTY HUM LOC NUM
    assert counts(trec["train"]) == [86, 1162, 1250, 1223, 835, 896]
    assert counts(trec["test"]) == [9, 138, 94, 65, 81, 113]
    msrp = load(tree, "MSRP").parts
    assert [counts(msrp[part])[1] for part in ("train", "test")] == [2753, 1147]
    sick = load(tree, "SICK-E").parts  # CONTRADICTION NEUTRAL ENTAILMENT
    assert counts(sick["train"]) == [665, 2536, 1299]
    assert counts(sick["dev"]) == [74, 282, 144]
    assert counts(sick["test"]) == [720, 2793, 1414]


def test_blank_sentences_are_as_many_as_in_the_released_sets(tree):
    assert "blank sentences, kept: 4" in load(tree, "CR").remarks
    assert "blank sentences, kept: 3" in load(tree, "MPQA").remarks
    assert load(tree, "CR", drop_blank=True).counts == {"all": 3771}
    assert load(tree, "MPQA", drop_blank=True).counts == {"all": 10603}


def test_original_text_keeps_its_characters(shared):
    tree = shared / "data" / "eval" / "original"
    texts = load(tree, "MR", lowercase=False).parts["all"].texts
    assert sum("\x85" in text for text in texts) > 0
    assert any("clich\u00e9" in text for text in texts)
    train = load(tree, "MSRP").parts["train"]
    assert sum("\x12" in text for text in train.left + train.right) == 1


def test_the_script_of_senteval_leaves_its_marks(shared):
    for tree, expected in (("original", []), ("tokenised", ["202", "113"])):
        remarks = [
            remark
            for name in ("MR", "SUBJ", "TREC")
            for remark in load(shared / "data" / "eval" / tree, name).remarks
        ]
        marks = [remark.rpartition(": ")[2] for remark in remarks if "escapes" in remark]
        assert marks == expected


def overlap(left, right):
    """Cosine of the sets of words; no words, no cosine."""
    a, b = (set(re.findall(r"\w+", text)) for text in (left, right))
    return len(a & b) / np.sqrt(len(a) * len(b)) if a and b else 0.0


def test_a_word_overlap_cosine_correlates_as_it_should(tree):
    sets = {**load(tree, "STS14").parts, "SICK": load(tree, "SICK").parts["test"]}
    found = {
        name: np.corrcoef(list(map(overlap, part.left, part.right)), part.gold)[0, 1]
        for name, part in sets.items()
    }
    assert found == pytest.approx(OVERLAP, abs=0.0006)


class Overlap:
    """The set of words of a text as a vector, whose cosine is the overlap of two sets."""

    def __init__(self, texts):
        words = {word for text in texts for word in re.findall(r"\w+", text)}
        self.ids = {word: number for number, word in enumerate(sorted(words))}

    def encode(self, texts):
        rows = np.zeros((len(texts), len(self.ids)), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[[self.ids[word] for word in re.findall(r"\w+", text)]] = 1
        return rows


@pytest.mark.parametrize("name", ["STS14", "SICK"])
def test_word_overlap_as_a_model_gives_the_known_figures(tree, name):
    """The same from the door: `evaluate` with a model of another program."""
    parts = load(tree, name).parts.values()
    model = Overlap([text for part in parts for text in part.left + part.right])
    result = evaluate(model, data=tree, tasks=name, lowercase=True)[name]
    if name == "STS14":
        found = {subset: one.pearson for subset, one in result.sets.items()}
    else:
        found = {name: correlate(result.items.scores["test"], result.items.gold["test"]).pearson}
    expected = {subset: value for subset, value in OVERLAP.items() if subset in found}
    assert found == pytest.approx(expected, abs=0.0006)
    assert len(found) == (6 if name == "STS14" else 1)


def test_both_readings_of_the_papers_sick_are_at_hand(tree):
    data = load(tree, "SICK")
    sizes = {
        name: len(join_pairs(name, [data.parts[part] for part in parts]).gold)
        for name, parts in data.task.unions.items()
    }
    assert sizes == {"all": 9927, "test + train": 9427}
