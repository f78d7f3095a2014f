"""`sentvec.evaluate`: from a model and a folder of data to a report.

It chooses tasks and protocol, runs the tasks, and records in the report how that was done.

Not here: what is recorded of a model (`describe`), the loop over the tasks (`runner`), how a task
is scored (`scoring`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import SettingsError, SourceError
from sentvec.evaluation.describe import choose_lowercase, describe_model
from sentvec.evaluation.methods.protocols import PAPER, QUICK, SENTEVAL, Protocol
from sentvec.evaluation.methods.vectors import SentenceVectors
from sentvec.evaluation.reports.report import Report, versions
from sentvec.evaluation.runner import Progress, run_tasks
from sentvec.evaluation.scoring import Plan
from sentvec.evaluation.tasks.data import Suite, Task
from sentvec.evaluation.tasks.layout import Tree, available, find_tree
from sentvec.evaluation.tasks.suites import find_suite, find_tasks
from sentvec.machine import processors
from sentvec.models.base.averaging import averaging
from sentvec.models.base.stored import StoredEncoder
from sentvec.suggest import near_names

_PROTOCOLS = {protocol.name: protocol for protocol in (PAPER, SENTEVAL, QUICK)}
_BLOCK = 8192  # rows read at once
_MAX_SEED = 2**32 - 1


def evaluate(
    model: Any,
    *,
    data: str | Path,
    suite: str | None = None,
    tasks: str | Iterable[str] | None = None,
    protocol: str | None = None,
    lowercase: bool | None = None,
    with_features: bool = False,
    seed: int | None = None,
    threads: int | None = None,
    name: str | None = None,
    progress: Progress | None = None,
) -> Report:
    """Run the papers' evaluation protocols with a model, on local files.

        report = evaluate(model, data="senteval/downstream", suite="sent2vec")
        report["STS14"].pearson, report["MR"].accuracy
        print(report.to_markdown())

    Args:
        model: Anything with `encode(list[str])` that returns a row for each text. If `encode` takes
            `return_known` and `threads`, both are passed. If the model has a method `provenance()`,
            the dict that it returns goes into the report.
        data: The folder with the data (see docs/evaluation-data.md).
        suite: `quick` (the default), `sent2vec`, `siamese-cbow`, `skip-thought` or `all`.
        tasks: Names of tasks to run instead of those of the suite.
        protocol: The protocol of the classification tasks: `paper`, `senteval`, or `quick` (5
            folds, not nested). By default that of the suite, or `paper` if only tasks are given.
        lowercase: Whether to lower-case all sentences. By default they are if the vocabulary of the
            model is lower-case and its tokenizer does not lower-case; the report says what was done
            and why.
        with_features: Whether to add figures with the extra features of the Skip-Thought paper:
            naive-Bayes n-grams (MR, CR, SUBJ, MPQA) and surface features (MSRP).
        seed: The seed of the folds and of the ranking; by default that of the protocol.
        threads: Threads for encoding and linear algebra; all processors by default.
        name: The name of the model in the report.
        progress: Called with each `Step`.

    Returns:
        The report. `report.missing` names the tasks whose files are missing; a task that failed has
        an `error` instead of figures.

    Raises:
        SourceError: There are no data for any of the tasks.
        SettingsError: An argument has an unsupported value.
    """
    chosen, wanted = _chosen(suite, tasks)
    rules = _protocol(protocol, chosen)
    _check_settings(rules, with_features, seed, threads)
    vectors = SentenceVectors(model, threads=threads or processors())
    tree = find_tree(data)
    ready, missing = _split(wanted, tree)
    lower, why = choose_lowercase(model, lowercase)
    described = describe_model(model, name)
    plan = Plan(rules, seed, threads, with_features)
    results, seconds = run_tasks(ready, tree, vectors, plan, lowercase=lower, progress=progress)
    provenance = {
        # for some models only the vectors tell their length
        "model": described if "dim" in described else {**described, "dim": vectors.dim},
        "suite": chosen.name if chosen else None,
        "protocol": rules.name,
        "seed": rules.seed if seed is None else seed,
        "with_features": with_features,
        "lowercase": lower,
        "lowercase_because": why,
        "layout": tree.layout,
        "versions": versions(),
        "remarks": vectors.remarks,
    }
    return Report(results, missing, provenance, seconds)


def _split(wanted: list[Task], tree: Tree) -> tuple[list[Task], dict[str, str]]:
    """The tasks that can be run, and by name why the others cannot.

    Raises:
        SourceError: None can be run.
    """
    problems = available(tree).problems
    absent = {task.name: problems[task.name] for task in wanted if task.name in problems}
    if len(absent) == len(wanted):
        msg = f"none of {', '.join(absent)} can be run - {'; '.join(absent.values())}"
        raise SourceError(msg)
    # Paths below the tree: where it lies is no part of the report.
    missing = {
        name: problem.replace(f"{tree.path}{os.sep}", "") for name, problem in absent.items()
    }
    return [task for task in wanted if task.name not in absent], missing


def _chosen(
    suite: str | None, tasks: str | Iterable[str] | None
) -> tuple[Suite | None, list[Task]]:
    """The suite, if one is meant, and the tasks."""
    chosen = find_suite(suite or "quick") if suite or tasks is None else None
    if tasks is not None:
        return chosen, find_tasks(tasks)
    assert chosen is not None
    return chosen, find_tasks(chosen.tasks)


def _protocol(name: str | None, suite: Suite | None) -> Protocol:
    if name is None:
        return PAPER if suite is None or suite.nested else QUICK
    if name not in _PROTOCOLS:
        msg = f"there is no protocol {name!r} - {near_names(name, _PROTOCOLS)}"
        raise SettingsError(msg)
    return _PROTOCOLS[name]


def _check_settings(
    rules: Protocol, with_features: bool, seed: int | None, threads: int | None
) -> None:
    if with_features and rules is QUICK:
        msg = "with_features with the protocol quick - expected the protocol paper or senteval"
        raise SettingsError(msg + "; choose one (--protocol), or leave the features out")
    if seed is not None and not (isinstance(seed, int) and 0 <= seed <= _MAX_SEED):
        msg = f"seed is {seed!r} - expected a whole number from 0 to {_MAX_SEED}"
        raise SettingsError(msg)
    if threads is not None and not (isinstance(threads, int) and threads >= 1):
        msg = f"threads is {threads!r} - expected a whole number from 1"
        raise SettingsError(msg)


def word_norms(model: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The count of each word in the training text, and the L2 norm of its vector.

    Raises:
        SettingsError: The model has no word vectors of its own.
    """
    if not isinstance(model, StoredEncoder):
        msg = f"a {type(model).__name__} has no word vectors of its own - expected a model of word "
        raise SettingsError(msg + "vectors, such as Sent2Vec")
    model = averaging(model, "the model", "word vectors of its own")
    norms = np.empty(len(model.vocabulary))
    for start in range(0, len(norms), _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, len(norms)))
        norms[rows] = np.linalg.norm(model.rows.take(rows).astype(np.float64), axis=1)
    return model.vocabulary.counts, norms
