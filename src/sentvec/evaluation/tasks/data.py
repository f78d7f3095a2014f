"""What a task is and what its data are: records only.

Not here: which tasks there are (`tasks`), where their files lie (`layout`) and how a file becomes
one of these records (`readers`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Kind: TypeAlias = Literal[
    "similarity",  # parts are `Pairs`
    "classification",  # parts are `Labelled`
    "pair classification",  # parts are `LabelledPairs` with int64 labels
    "relatedness",  # parts are `LabelledPairs` with float64 scores
    "ranking",  # parts are `Captioned`
]
Protocol: TypeAlias = Literal[
    "cosine", "nested", "train-test", "train-dev-test", "distribution", "ranking"
]

PROTOCOLS: Mapping[Protocol, str] = {
    "cosine": "no training: the cosine of the two vectors is correlated with the gold scores",
    "nested": "10-fold cross-validation; the penalty of each fold by 10 inner folds",
    "train-test": "the penalty by 10-fold cross-validation on train, the figure on test",
    "train-dev-test": "trained on train, the penalty chosen on dev, the figure on test",
    "distribution": "a regression to the distribution of scores; dev stops it, figures on test",
    "ranking": "linear maps of images and sentences to one space; dev stops, figures on test",
}


@dataclass(frozen=True, slots=True)
class Columns:
    """How a line of a file is cut into cells. Quotation marks mean nothing in any of them."""

    texts: tuple[int, ...] = (0,)  # the cells of the sentences
    gold: int | None = None  # the cell of label or score; None: it does not stand in the line
    cells: int = 1  # so many cells are needed; more are ignored
    separator: Literal["", " ", "\t"] = ""  # "": a line is one cell; " ": cut at the first only
    header: tuple[str, ...] = ()  # the first cells of the first line, if that is a header
    label_ends: str = ""  # the label is what stands before this


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of a task, or an input file with its gold file (captions with features).

    `names` are the paths looked for below the tree, in that order: first the name in the layout of
    SentEval, then other names in use; those without a folder are the flat layout.
    """

    part: str  # where its rows go: "all", "train", "dev", "test" or a subset
    names: tuple[str, ...]
    lines: int | None  # in the file, its header included; None: not known
    rows: int | None  # those of them that have a gold label, as the papers used them
    label: int | None = None  # the class of every row
    companions: tuple[str, ...] = ()  # the names of the gold or feature file

    @property
    def flat(self) -> str | None:
        """The name in the flat layout of skip-thoughts, if it has one there."""
        return next((name for name in self.names if "/" not in name), None)


@dataclass(frozen=True, slots=True)
class Task:
    """One row of the table of tasks; nothing about a task is written anywhere else."""

    name: str
    title: str
    kind: Kind
    protocol: Protocol
    metrics: tuple[str, ...]  # in the order in which they are reported
    files: tuple[DataFile, ...]
    columns: Columns
    line: str  # the format of a line, in words
    citation: str
    licence: str
    encoding: Literal["utf-8", "latin-1"] = "utf-8"  # what bytes are that are not UTF-8
    classes: tuple[str, ...] = ()  # the label of a class is its place here
    scores: tuple[float, float] | None = None  # lowest and highest score
    choose_by: Literal["accuracy", "f1"] = "accuracy"  # what chooses the penalty
    # Similarity: the sets to report, each of one or more parts joined, the headline first. Without
    # any, every part is a set, and means over the sets are reported too.
    unions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    note: str = ""  # what a reader of the figures must know

    @property
    def expected(self) -> dict[str, int]:
        """How many rows each part should have, as far as it is known."""
        counts: dict[str, int] = {}
        for file in self.files:
            if file.rows is not None:
                counts[file.part] = counts.get(file.part, 0) + file.rows
        return counts


@dataclass(frozen=True, slots=True)
class Suite:
    """Tasks that are run together, and how their cross-validation is done."""

    name: str
    title: str
    tasks: tuple[str, ...]
    folds: int = 10
    nested: bool = True  # whether inner folds choose the penalty of each outer fold


@dataclass(frozen=True, slots=True)
class Pairs:
    """A set of sentence pairs with the gold score of each."""

    name: str
    left: list[str] = field(repr=False)
    right: list[str] = field(repr=False)
    gold: NDArray[np.float64] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Labelled:
    """Sentences and the class of each."""

    texts: list[str] = field(repr=False)
    labels: NDArray[np.int64] = field(repr=False)


@dataclass(frozen=True, slots=True)
class LabelledPairs:
    """Sentence pairs with the class (int64) or the score (float64) of each."""

    left: list[str] = field(repr=False)
    right: list[str] = field(repr=False)
    labels: NDArray[Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Captioned:
    """Images as features, and five sentences for each: image `i` has captions `5i` to `5i+4`."""

    captions: list[str] = field(repr=False)
    features: NDArray[Any] = field(repr=False)  # (images, size); mapped from the file, not read


Part: TypeAlias = Pairs | Labelled | LabelledPairs | Captioned


@dataclass(frozen=True, slots=True)
class TaskData:
    """All that was read for a task.

    Args:
        task: The row of the table.
        parts: "all"; or "train", "dev" and "test"; or the subsets of a similarity task.
        files: The BLAKE2b sum (16 bytes, hexadecimal) of each file, by its path below the tree.
        counts: The rows of each part.
        remarks: What was found that a reader of the figures should know, in sentences.
    """

    task: Task
    parts: dict[str, Part] = field(repr=False)
    files: dict[str, str]
    counts: dict[str, int]
    remarks: list[str]


def join_pairs(name: str, sets: Sequence[Pairs]) -> Pairs:
    """Put sets of pairs one after the other.

    >>> one = Pairs("one", ["a"], ["b"], np.array([1.0]))
    >>> join_pairs("twice", [one, one]).left
    ['a', 'a']
    """
    return Pairs(
        name,
        [text for part in sets for text in part.left],
        [text for part in sets for text in part.right],
        np.concatenate([part.gold for part in sets]),
    )


def one_file_a_part(
    folders: Sequence[str], files: Mapping[str, tuple[str, int]], header: int = 0
) -> tuple[DataFile, ...]:
    """The files of a task whose parts have one each: (name, rows) by part.

    Args:
        folders: Where a file may lie, each ending in a slash; "" is the flat layout.
        files: Name and rows of each part.
        header: Lines above the rows.
    """
    return tuple(
        DataFile(part, tuple(f"{folder}{name}" for folder in folders), rows + header, rows)
        for part, (name, rows) in files.items()
    )
