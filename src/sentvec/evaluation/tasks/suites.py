"""Tasks by name, and the suites: which tasks each paper reports.

Not here: the records themselves (`sentence_tasks`, `pair_tasks`) and what a record holds (`data`).
"""

from __future__ import annotations

from collections.abc import Iterable

from sentvec.errors import SettingsError
from sentvec.evaluation.tasks import pair_tasks, sentence_tasks
from sentvec.evaluation.tasks.data import PROTOCOLS, DataFile, Suite, Task
from sentvec.suggest import near_names

__all__ = ["PROTOCOLS", "SUITES", "TASKS", "DataFile", "Suite", "Task", "find_suite", "find_tasks"]

# In the order of reports.
TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        sentence_tasks.MR,
        sentence_tasks.CR,
        sentence_tasks.SUBJ,
        sentence_tasks.MPQA,
        sentence_tasks.TREC,
        pair_tasks.MSRP,
        sentence_tasks.SST2,
        sentence_tasks.SST5,
        pair_tasks.SICK_R,
        pair_tasks.SICK_E,
        pair_tasks.STSB,
        pair_tasks.STS12,
        pair_tasks.STS13,
        pair_tasks.STS14,
        pair_tasks.STS15,
        pair_tasks.STS16,
        pair_tasks.SICK,
        pair_tasks.STSB_COSINE,
        pair_tasks.COCO,
    )
}

_SIX = ("MR", "CR", "SUBJ", "MPQA", "TREC", "MSRP")

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        Suite(
            "quick",
            "a first result in a minute: 5 folds, not nested",
            (*_SIX, "STS14", "SICK"),
            folds=5,
            nested=False,
        ),
        Suite("sent2vec", "Sent2Vec, tables 1 and 2", (*_SIX, "STS14", "SICK")),
        Suite(
            "siamese-cbow",
            "Siamese CBOW: 19 of its 20 sets, all except SMT of 2013",
            ("STS12", "STS13", "STS14", "STS15"),
        ),
        Suite("skip-thought", "Skip-Thought, all tables", ("SICK-R", "MSRP", "COCO", *_SIX[:-1])),
        Suite("all", "every task", tuple(TASKS)),
    )
}


def find_tasks(names: str | Iterable[str]) -> list[Task]:
    """The tasks with these names, each once; case is ignored, and MRPC is MSRP.

    Args:
        names: Names of tasks, or one string of names separated by commas.

    Raises:
        SettingsError: There is no such task; the message names the nearest.

    >>> [task.name for task in find_tasks("mr,MRPC")]
    ['MR', 'MSRP']
    """
    wanted = names.split(",") if isinstance(names, str) else names
    spellings = {
        spelling: task for task in TASKS.values() for spelling in (task.name, *task.aliases)
    }
    by_lower = {spelling.lower(): task for spelling, task in spellings.items()}
    found: dict[str, Task] = {}
    for name in filter(None, (each.strip() for each in wanted)):
        if name.lower() not in by_lower:
            # in capitals, as most names are
            msg = f"there is no task {name!r} - {near_names(name.upper(), spellings)}"
            raise SettingsError(msg)
        task = by_lower[name.lower()]
        found[task.name] = task
    if not found:
        msg = f"got no task - {near_names('', spellings)}"
        raise SettingsError(msg)
    return list(found.values())


def find_suite(name: str) -> Suite:
    """The suite with this name.

    Raises:
        SettingsError: There is no such suite; the message names the nearest.
    """
    if name not in SUITES:
        msg = f"there is no suite {name!r} - {near_names(name, SUITES)}"
        raise SettingsError(msg)
    return SUITES[name]
