"""Where the files of the tasks are: the tree, the files of a task, and the tasks that can be run.

A tree has the layout of SentEval's `data/downstream`, or is the flat folder of skip-thoughts. Each
file is looked for under all its names, so a tree may mix both.

Not here: what is in the files (`readers`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from sentvec.errors import FormatError, SourceError
from sentvec.evaluation.tasks.data import DataFile, Task
from sentvec.evaluation.tasks.suites import TASKS

Layout: TypeAlias = Literal["senteval", "flat"]

# Where the tree may be below the given folder: the folder itself; `downstream`, whose parent
# SentEval's scripts expect; from the top of a checkout; the data folder of skip-thoughts.
_BELOW = (".", "downstream", "data/downstream", "data")

_MAX_NAMES = 3  # of other missing files in a message


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder with files of tasks; `layout` says where a missing file should go."""

    path: Path
    layout: Layout


@dataclass(frozen=True, slots=True)
class Place:
    """A file of a task and its path, with its gold or feature file if it has one."""

    file: DataFile
    path: Path
    companion: Path | None


@dataclass(frozen=True, slots=True)
class Availability:
    """Which tasks can be run with a tree, and why the others cannot."""

    ready: tuple[str, ...]
    problems: dict[str, str]


def find_tree(directory: str | Path) -> Tree:
    """Find the tree in a folder, in its `downstream` or in its `data/downstream`.

    Raises:
        SourceError: There is no such folder, or it has no file of any task.
    """
    directory = Path(directory)
    if not directory.is_dir():
        what = "is a file" if directory.exists() else "does not exist"
        msg = f"{directory} {what} - expected the folder with the evaluation data"
        raise SourceError(msg)
    candidates = [directory / below for below in _BELOW]
    names, path = max(((_names_found(path), path) for path in candidates), key=_count_of_names)
    if not names:
        near = [str(path) for path in _neighbours(directory) if _names_found(path)]
        hint = f"did you mean {' or '.join(near)}?" if near else "see docs/evaluation-data.md"
        msg = (
            f"{directory} has no file of any task - expected the layout of SentEval "
            f"(MR/rt-polarity.pos, SICK/SICK_train.txt, ...) or the flat one of skip-thoughts "
            f"(rt-polarity.pos, SICK_train.txt, ...) - {hint}"
        )
        raise SourceError(msg)
    return Tree(path, "senteval" if any("/" in name for name in names) else "flat")


def _count_of_names(candidate: tuple[list[str], Path]) -> int:
    return len(candidate[0])


def _names_found(folder: Path) -> list[str]:
    names = {name for task in TASKS.values() for file in task.files for name in file.names}
    return [name for name in names if os.path.isfile(folder / name)]  # False also where forbidden


def _neighbours(directory: Path) -> list[Path]:
    """Folders that may be meant: one level up, and each one level down."""
    try:
        below = sorted(path for path in directory.iterdir() if path.is_dir())
    except OSError:  # a mere hint must not raise another error
        below = []
    return [directory.resolve().parent, *below]


def locate(task: Task, tree: Tree) -> list[Place]:
    """Find all files of a task.

    Raises:
        SourceError: A file is missing; the message says where it should be and what it contains.
        FormatError: A file is empty.
    """
    problem = _problem(task, tree)
    if problem is not None:
        ready = available(tree).ready
        can_run = f"{tree.path} has all files of {', '.join(ready) or 'no task'}"
        msg = f"{problem} ({can_run})"
        raise type(problem)(msg)
    return [
        Place(file, _found(tree, file.names) or tree.path, _found(tree, file.companions))
        for file in task.files
    ]


def available(root: Tree | str | Path) -> Availability:
    """Find out which tasks can be run with a tree, and why the others cannot.

    Only presence and size are checked; the content of a file is checked when it is read.
    """
    tree = root if isinstance(root, Tree) else find_tree(root)
    problems = {name: _problem(task, tree) for name, task in TASKS.items()}
    return Availability(
        tuple(name for name, problem in problems.items() if problem is None),
        {name: str(problem) for name, problem in problems.items() if problem is not None},
    )


def expectation(task: Task, file: DataFile) -> str:
    """What a file should contain: how many lines, of which format, in which encoding."""
    lines = f"{file.lines:,} lines" if file.lines is not None else "lines"
    encoding = "UTF-8 or latin-1" if task.encoding == "latin-1" else "UTF-8"
    return f"{lines} of {encoding}, each: {task.line}"


def _problem(task: Task, tree: Tree) -> SourceError | FormatError | None:
    """Why a task cannot be run, if it cannot."""
    needed = [
        (file, names) for file in task.files for names in (file.names, file.companions) if names
    ]
    missing = [(file, names) for file, names in needed if _found(tree, names) is None]
    if missing:
        file, names = missing[0]
        others = [_place_for(tree, names).name for _, names in missing[1:]]
        also = ", ".join(others[:_MAX_NAMES])
        if len(others) > _MAX_NAMES:
            also += f" and {len(others) - _MAX_NAMES} more"
        msg = (
            f"{task.name}: {_place_for(tree, names)} is missing{also and f' (also {also})'} - "
            f"expected {expectation(task, file)} - put it there, or leave {task.name} out"
        )
        return SourceError(msg)
    for file, names in needed:
        path = _found(tree, names)
        if path is not None and path.stat().st_size == 0:
            msg = (
                f"{task.name}: {path} is empty, as after a failed download - expected "
                f"{expectation(task, file)} - download it again, or leave {task.name} out"
            )
            return FormatError(msg)
    return None


def _found(tree: Tree, names: tuple[str, ...]) -> Path | None:
    """The path of a file under the first of its names that exists."""
    return next((tree.path / name for name in names if (tree.path / name).is_file()), None)


def _place_for(tree: Tree, names: tuple[str, ...]) -> Path:
    """Where a missing file should be."""
    flat = [name for name in names if "/" not in name] if tree.layout == "flat" else []
    return tree.path / (flat or names)[0]
