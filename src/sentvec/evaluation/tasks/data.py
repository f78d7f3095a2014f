"""What a task is and what its data are: records only.

Not here: which tasks there are (`suites`), where their files are (`layout`), and how a file becomes
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
    "cosine": "no training: the cosines of the pairs are correlated with the gold scores",
    "nested": "10-fold cross-validation; C of each fold chosen by 10 inner folds",
    "train-test": "C chosen by 10-fold cross-validation on train; figures on test",
    "train-dev-test": "trained on train, C chosen on dev; figures on test",
    "distribution": "regression to the distribution of scores, C chosen on dev; figures on test",
    "ranking": "linear maps of images and sentences to one space, chosen on dev; figures on test",
}


@dataclass(frozen=True, slots=True)
class Columns:
    """How a line of a file is cut into cells. Quotation marks mean nothing in any of them."""

    texts: tuple[int, ...] = (0,)  # the cells of the sentences
    gold: int | None = None  # the cell of label or score; None: it is not in the line
    cells: int = 1  # the number of cells that are needed; more are ignored
    separator: Literal["", " ", "\t"] = ""  # "": a line is one cell; " ": cut at the first only
    header: tuple[str, ...] = ()  # the first cells of the first line, if that is a header
    label_ends: str = ""  # the label is the text before this


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of a task, or an input file with its gold file (captions with features).

    `names` are the paths below the tree to look for, in that order: first the name in the layout of
    SentEval, then other names in use; those without a folder belong to the flat layout.
    """

    part: str  # where its rows go: "all", "train", "dev", "test" or a subset
    names: tuple[str, ...]
    lines: int | None  # of the file, with its header; None: unknown
    rows: int | None  # lines that have a gold label, as the papers used them
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
    encoding: Literal["utf-8", "latin-1"] = "utf-8"  # of files that are not UTF-8
    classes: tuple[str, ...] = ()  # the label of a class is its index here
    scores: tuple[float, float] | None = None  # lowest and highest score
    choose_by: Literal["accuracy", "f1"] = "accuracy"  # how C is chosen
    # Similarity: the sets to report, each one or more parts joined; the summary is the first.
    # Without any, every part is a set, and means over the sets are reported too.
    unions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    note: str = ""  # what readers of the figures should know

    @property
    def expected(self) -> dict[str, int]:
        """The number of rows that each part should have, where it is known."""
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
    """The data of a task.

    Attributes:
        task: The record of the task.
        parts: "all"; or "train", "dev" and "test"; or the subsets of a similarity task.
        files: The BLAKE2b sum (16 bytes, hexadecimal) of each file, by its path below the tree.
        counts: The number of rows of each part.
        remarks: What readers of the figures should know, in words.
    """

    task: Task
    parts: dict[str, Part] = field(repr=False)
    files: dict[str, str]
    counts: dict[str, int]
    remarks: list[str]


def join_pairs(name: str, sets: Sequence[Pairs]) -> Pairs:
    """Concatenate sets of pairs.

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
    """The files of a task that has one file for each part.

    Args:
        folders: The folders where a file may be, each ending in a slash; "" is the flat layout.
        files: The file name and the number of rows of each part.
        header: The number of lines above the rows.
    """
    return tuple(
        DataFile(part, tuple(f"{folder}{name}" for folder in folders), rows + header, rows)
        for part, (name, rows) in files.items()
    )
