"""Run tasks with a model: read, encode, score, one after the other.

A task that cannot be scored (damaged data, vectors that are not finite) gets an error instead of
figures, and the run continues.

Not here: how a task is scored (`scoring`), and the report of the run (`evaluate`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sentvec.errors import SentvecError
from sentvec.evaluation.methods.vectors import Coverage, SentenceVectors
from sentvec.evaluation.reports.results import TaskResult
from sentvec.evaluation.scoring import Plan, score_task, texts_of
from sentvec.evaluation.tasks.data import Task, TaskData
from sentvec.evaluation.tasks.layout import Tree
from sentvec.evaluation.tasks.readers import load_task


@dataclass(frozen=True, slots=True)
class Step:
    """Where a run is.

    Attributes:
        task: The name of the task in progress.
        number: Its number, from 1.
        total: The number of tasks.
        stage: What is done with it at the moment.
        done: The share of that stage that is done, 0 to 1.
    """

    task: str
    number: int
    total: int
    stage: Literal["reading", "encoding", "scoring", "done"]
    done: float


Progress: TypeAlias = Callable[[Step], None]


def run_tasks(
    tasks: Sequence[Task],
    tree: Tree,
    vectors: SentenceVectors,
    plan: Plan,
    *,
    lowercase: bool,
    progress: Progress | None = None,
) -> tuple[dict[str, TaskResult], dict[str, float]]:
    """Run the tasks in order.

    Returns:
        The results and the seconds each took, by the name of the task.
    """
    results: dict[str, TaskResult] = {}
    seconds: dict[str, float] = {}
    for number, task in enumerate(tasks, 1):

        def tell(
            stage: Literal["reading", "encoding", "scoring", "done"],
            done: float,
            name: str = task.name,
            number: int = number,
        ) -> None:
            if progress is not None:
                progress(Step(name, number, len(tasks), stage, done))

        started = time.perf_counter()
        results[task.name] = _run(task, tree, vectors, plan, lowercase, tell)
        seconds[task.name] = time.perf_counter() - started
        tell("done", 1.0)
    return results, seconds


def _run(
    task: Task,
    tree: Tree,
    vectors: SentenceVectors,
    plan: Plan,
    lowercase: bool,
    tell: Callable[[Literal["reading", "encoding", "scoring"], float], None],
) -> TaskResult:
    data: TaskData | None = None
    coverage: Coverage | None = None
    try:
        tell("reading", 0.0)
        data = load_task(task, tree, lowercase=lowercase)
        texts = [text for part in data.parts.values() for text in texts_of(part)]
        tell("encoding", 0.0)
        vectors.prepare(texts, lambda done: tell("encoding", done))
        coverage = vectors.coverage(texts)
        if coverage.unknown == len(texts):
            return _result(task, data, coverage, error=_nothing_known(texts))
        tell("scoring", 0.0)
        fields = score_task(data, vectors, plan, lambda done: tell("scoring", done))
    except (SentvecError, MemoryError) as error:
        # where the tree lies is no part of a report
        message = (str(error) or type(error).__name__).replace(f"{tree.path}{os.sep}", "")
        return _result(task, data, coverage, error=message)
    return _result(task, data, coverage, **fields)


def _nothing_known(texts: Sequence[str]) -> str:
    return (
        f"the model knows no word of the {len(texts):,} sentences, such as {texts[0]!r:.60} - "
        "expected text like that it was trained on; check its language, letter case and tokenizer"
    )


def _result(
    task: Task,
    data: TaskData | None,
    coverage: Coverage | None,
    **fields: object,
) -> TaskResult:
    remarks = list(data.remarks) if data else [task.note] if task.note else []
    if coverage and coverage.unknown:
        remarks.append(
            f"sentences without a known word, which have zero vectors: {coverage.unknown:,} "
            f"of {coverage.sentences:,}"
        )
    found = fields.pop("remarks", ())
    assert isinstance(found, (list, tuple))
    return TaskResult(
        name=task.name,
        title=task.title,
        kind=task.kind,
        counts=dict(data.counts) if data else {},
        files=dict(data.files) if data else {},
        coverage=coverage,
        remarks=(*remarks, *found),
        **fields,  # type: ignore[arg-type]
    )
