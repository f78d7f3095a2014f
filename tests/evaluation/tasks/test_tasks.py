"""The table of tasks and the suites."""

from __future__ import annotations

import pytest

from sentvec.errors import SettingsError
from sentvec.evaluation.tasks.data import PROTOCOLS
from sentvec.evaluation.tasks.suites import SUITES, TASKS, find_suite, find_tasks


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_record_is_complete_and_agrees_with_itself(task):
    assert all([task.title, task.line, task.citation, task.licence, task.metrics])
    assert task.protocol in PROTOCOLS
    assert (task.scores is None) == (task.kind not in ("similarity", "relatedness"))
    assert bool(task.classes) == (task.kind in ("classification", "pair classification"))
    assert max(*task.columns.texts, task.columns.gold or 0) < task.columns.cells
    assert len(task.columns.texts) == (1 if task.kind in ("classification", "ranking") else 2)
    parts = {file.part for file in task.files}
    needed = {
        "nested": {"all"},
        "train-test": {"train", "test"},
        "train-dev-test": {"train", "dev", "test"},
        "distribution": {"train", "dev", "test"},
        "ranking": {"train", "dev", "test"},
    }
    assert parts == needed.get(task.protocol, parts)
    assert all(set(union) <= parts for union in task.unions.values())


def test_a_file_is_described_once():
    """Tasks that share files share their records, but for the class column they look at."""
    seen = {}
    for task in TASKS.values():
        for file in task.files:
            for name in file.names:
                assert seen.setdefault(name, file) == file, name


def test_expected_counts_are_those_of_the_papers():
    counts = {name: sum(task.expected.values()) for name, task in TASKS.items()}
    assert counts["MR"] == 10662
    assert counts["CR"] == 3775
    assert counts["SUBJ"] == 10000
    assert counts["MPQA"] == 10606
    assert TASKS["TREC"].expected == {"train": 5452, "test": 500}
    assert TASKS["MSRP"].expected == {"train": 4076, "test": 1725}
    assert counts["SICK"] == 9927
    assert [counts[f"STS{year}"] for year in range(12, 17)] == [3108, 1500, 3750, 3000, 1186]
    assert TASKS["STSB"].expected == {"train": 5749, "dev": 1500, "test": 1379}


def test_the_unions_of_sick_are_the_two_readings_of_the_paper():
    task = TASKS["SICK"]
    sizes = {
        name: sum(task.expected[part] for part in parts) for name, parts in task.unions.items()
    }
    assert sizes == {"all": 9927, "test + train": 9427}


def test_suites_name_tasks_that_exist():
    assert list(SUITES) == ["quick", "sent2vec", "siamese-cbow", "skip-thought", "all"]
    for suite in SUITES.values():
        assert set(suite.tasks) <= set(TASKS)
        assert len(set(suite.tasks)) == len(suite.tasks)
    assert set(SUITES["all"].tasks) == set(TASKS)
    assert (SUITES["quick"].folds, SUITES["quick"].nested) == (5, False)
    assert SUITES["quick"].tasks == SUITES["sent2vec"].tasks
    assert (SUITES["sent2vec"].folds, SUITES["sent2vec"].nested) == (10, True)
    # all sets of Siamese CBOW but the one that may not be passed on
    assert sum(len(TASKS[name].files) for name in SUITES["siamese-cbow"].tasks) == 19


def test_tasks_are_found_by_any_of_their_names_once():
    found = find_tasks("mr, MRPC,msrp ,STS-b,sst-2")
    assert [task.name for task in found] == ["MR", "MSRP", "STSB", "SST2"]
    assert find_tasks(["SICKEntailment"]) == [TASKS["SICK-E"]]


@pytest.mark.parametrize(
    ("name", "near"),
    [("MRR", "'MR'"), ("sts41", "'STS14'"), ("tec", "'TREC'"), ("SICK-X", "'SICK-R'"), ("???", "expected one of MR, CR")],
)  # fmt: skip
def test_an_unknown_task_is_answered_with_near_names(name, near):
    with pytest.raises(SettingsError) as error:
        find_tasks(["MR", name])
    assert repr(name) in str(error.value)
    assert near in str(error.value)


def test_no_task_at_all_is_an_error():
    with pytest.raises(SettingsError, match="got no task - expected one of MR, CR"):
        find_tasks(" , ")


def test_suites_are_found_by_name():
    assert find_suite("quick") is SUITES["quick"]
    with pytest.raises(SettingsError, match="no suite 'skipthought' - did you mean 'skip-thought'"):
        find_suite("skipthought")
