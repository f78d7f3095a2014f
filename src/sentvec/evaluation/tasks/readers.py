"""From the files of a task to its data: one reader for all tasks, guided by their records.

The data are those of the released sets. Only pairs without a gold score are dropped; blank
sentences are kept unless the caller drops them, in the flat layout too, so that the layout does not
change a figure. (The released scripts of Skip-Thought drop them, which also shifts their folds;
SentEval keeps them.) Counts that differ from those of the papers are a remark, not an error.

Not here: finding files (`layout`), bytes and line ends (`lines`), image features (`captions`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sentvec.errors import FormatError
from sentvec.evaluation.tasks.captions import captioned
from sentvec.evaluation.tasks.data import (
    Labelled,
    LabelledPairs,
    Pairs,
    Part,
    Task,
    TaskData,
)
from sentvec.evaluation.tasks.layout import Place, Tree, expectation, find_tree, locate
from sentvec.evaluation.tasks.lines import Lines, as_text, checksum_of, read_lines

# How `cat -v`, which SentEval's script runs on the latin-1 sets, writes other bytes than ASCII.
_ESCAPED = re.compile(r"M-\^?[\x20-\x7e]")


@dataclass(slots=True)
class _Rows:
    """The rows of a part: a list for each column of sentences, and the gold label of each row."""

    columns: tuple[list[str], ...]
    gold: list[float]


@dataclass(slots=True)
class _Reading:
    """A task that is being read."""

    task: Task
    tree: Tree
    lowercase: bool
    files: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    unscored: list[str] = field(default_factory=list)

    def name_of(self, path: Path) -> str:
        return path.relative_to(self.tree.path).as_posix()

    def lines_of(self, path: Path) -> Lines:
        content = read_lines(path, self.task.encoding)
        self.files[self.name_of(path)] = content.checksum
        return content


def load_task(
    task: Task, root: Tree | str | Path, *, lowercase: bool, drop_blank: bool = False
) -> TaskData:
    """Read a task.

    Args:
        task: A record of the table.
        root: The tree, or a folder that `find_tree` finds it in.
        lowercase: Whether to lower-case all sentences.
        drop_blank: Whether to drop blank sentences from tasks of single sentences, as the released
            scripts of Skip-Thought do. SentEval keeps them.

    Raises:
        SourceError: A file is missing; the message says where it should be and what it contains.
        FormatError: A file is empty or has an invalid line; the message names the line.
    """
    tree = root if isinstance(root, Tree) else find_tree(root)
    reading = _Reading(task, tree, lowercase)
    if task.note:
        reading.remarks.append(task.note)
    places = locate(task, tree)
    if task.kind == "ranking":
        parts = {place.file.part: _read_captioned(reading, place) for place in places}
    else:
        parts = _read_parts(reading, places, drop_blank=drop_blank)
    counts = {name: _size(part) for name, part in parts.items()}
    return TaskData(task, parts, reading.files, counts, reading.remarks)


def _size(part: Part) -> int:
    match part:
        case Labelled():
            return len(part.texts)
        case Pairs() | LabelledPairs():
            return len(part.left)
        case _:
            return len(part.captions)


# --- a part -------------------------------------------------------------------------------------


def _read_parts(reading: _Reading, places: list[Place], *, drop_blank: bool) -> dict[str, Part]:
    """Read and concatenate the files of each part."""
    parts: dict[str, _Rows] = {}
    for place in places:
        rows = _read_file(reading, place)
        part = parts.setdefault(place.file.part, _Rows(tuple([] for _ in rows.columns), []))
        part.gold.extend(rows.gold)
        for column, more in zip(part.columns, rows.columns, strict=True):
            column.extend(more)
    if reading.unscored:
        left_out = ", ".join(reading.unscored)
        reading.remarks.append(f"pairs without a gold score, left out: {left_out}")
    _remark_on_texts(reading, parts)
    single = reading.task.kind == "classification"
    blank = _drop_blank(parts, drop=drop_blank and single)
    if blank:
        kept = "dropped" if drop_blank and single else "kept"
        what = "blank sentences" if single else "pairs with a blank sentence"
        reading.remarks.append(f"{what}, {kept}: {blank:,}")
    return {name: _build(reading, name, rows) for name, rows in parts.items()}


def _build(reading: _Reading, name: str, rows: _Rows) -> Part:
    """Convert rows to the record of the kind of the task."""
    texts, *others = (
        [as_text(cell, lowercase=reading.lowercase) for cell in column] for column in rows.columns
    )
    kind = reading.task.kind
    if kind == "classification":
        return Labelled(texts, np.array(rows.gold, np.int64))
    if kind == "similarity":
        return Pairs(name, texts, others[0], np.array(rows.gold, np.float64))
    dtype = np.float64 if kind == "relatedness" else np.int64
    return LabelledPairs(texts, others[0], np.array(rows.gold, dtype))


def _drop_blank(parts: dict[str, _Rows], *, drop: bool) -> int:
    """Count the rows with a blank sentence, and drop them if `drop`."""
    total = 0
    for name, rows in parts.items():
        full = [all(map(str.strip, texts)) for texts in zip(*rows.columns, strict=True)]
        total += len(full) - sum(full)
        if drop:
            columns = tuple(
                [text for text, keep in zip(column, full, strict=True) if keep]
                for column in rows.columns
            )
            gold = [label for label, keep in zip(rows.gold, full, strict=True) if keep]
            parts[name] = _Rows(columns, gold)
    return total


def _remark_on_texts(reading: _Reading, parts: dict[str, _Rows]) -> None:
    """Remark how many sentences were damaged by earlier processing."""
    texts = [text for rows in parts.values() for column in rows.columns for text in column]
    damaged = sum("\ufffd" in text for text in texts)
    if damaged:
        reading.remarks.append(f"sentences with U+FFFD, where a character was lost: {damaged:,}")
    if all(file.label is not None for file in reading.task.files):
        escaped = sum(_ESCAPED.search(text) is not None for text in texts)
        if escaped:
            reading.remarks.append(
                f"sentences with escapes such as M-i, which SentEval's script leaves: {escaped:,}"
            )


# --- a file -------------------------------------------------------------------------------------


def _read_file(reading: _Reading, place: Place) -> _Rows:
    """Read the rows of a file that have a gold label, with unchanged text."""
    task, file, columns = reading.task, place.file, reading.task.columns
    content = reading.lines_of(place.path)
    name = reading.name_of(place.path)
    if content.encoding == "latin-1":
        reading.remarks.append(f"{name} is latin-1")
    rows = list(_cells(task, content))
    if place.companion is not None:
        gold = _read_gold(reading, place.companion, place.path, len(rows))
    elif columns.gold is not None:
        at = columns.gold
        gold = [_gold(task, cells[at], f"{place.path}:{number}") for number, cells in rows]
    else:
        gold = [file.label] * len(rows)
    scored = [(cells, value) for (_, cells), value in zip(rows, gold, strict=True)
              if value is not None]  # fmt: skip
    _check_counts(reading, place, len(rows), len(scored))
    return _Rows(
        tuple([cells[column] for cells, _ in scored] for column in columns.texts),
        [value for _, value in scored],
    )


def _cells(task: Task, content: Lines) -> Iterator[tuple[int, list[str]]]:
    """The number of each line, and its cells."""
    columns, lines = task.columns, content.lines
    if columns.separator:
        while lines and not lines[-1].strip():  # no row of a table is blank
            lines = lines[:-1]
    if columns.header:
        _check_header(task, content)
    first = 1 if columns.header else 0
    for number, line in enumerate(lines[first:], start=first + 1):
        match columns.separator:
            case "":
                cells = [line]
            case " ":
                cells = line.split(" ", 1)
            case _:
                cells = line.split("\t")
        if len(cells) < columns.cells:
            msg = f"{content.path}:{number} has {len(cells)} of {columns.cells} columns"
            msg += f" ({_short(line)}) - expected {task.line}"
            raise FormatError(msg)
        yield number, cells


def _check_header(task: Task, content: Lines) -> None:
    header = task.columns.header
    found = [cell.strip().lower() for cell in content.lines[0].split("\t")[: len(header)]]
    if found != [cell.lower() for cell in header]:
        msg = f"{content.path}:1 is {_short(content.lines[0])} - expected the header"
        msg += f" {' TAB '.join(header)} - insert it"
        raise FormatError(msg)


def _gold(task: Task, cell: str, where: str) -> float:
    """The class or the score in a cell."""
    text = cell.strip()
    if task.scores is None:
        label = text.partition(task.columns.label_ends)[0] if task.columns.label_ends else text
        if label not in task.classes:
            msg = f"{where} has the label {_short(text)} - expected {' or '.join(task.classes)}"
            raise FormatError(msg)
        return task.classes.index(label)
    low, high = task.scores
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not low <= score <= high:  # NaN is not
        msg = f"{where} has the score {_short(text)} - expected a number from {low:g} to {high:g}"
        raise FormatError(msg)
    return score


def _read_gold(reading: _Reading, path: Path, input_path: Path, pairs: int) -> list[float | None]:
    """Read the scores of a similarity set; None for pairs that were not scored."""
    content = reading.lines_of(path)
    if len(content.lines) != pairs:
        msg = (
            f"{path} has {len(content.lines):,} lines and {input_path.name} {pairs:,} pairs - "
            "expected one score, or an empty line, for each pair - download both again"
        )
        raise FormatError(msg)
    return [
        _gold(reading.task, line, f"{path}:{number}") if line.strip() else None
        for number, line in enumerate(content.lines, start=1)
    ]


def _check_counts(reading: _Reading, place: Place, rows: int, scored: int) -> None:
    """Remark which pairs have no score, and which counts differ from those of the papers."""
    file, name = place.file, reading.name_of(place.path)
    if scored == 0:
        msg = f"{place.path} has no row with a label or score - expected"
        raise FormatError(f"{msg} {expectation(reading.task, file)} - download it again")
    if scored < rows:
        reading.unscored.append(f"{rows - scored:,} of {rows:,} of {file.part}")
    if file.rows is not None and scored != file.rows:
        reading.remarks.append(
            f"counts differ from the papers': {name} has {scored:,} rows, theirs {file.rows:,}"
        )


def _read_captioned(reading: _Reading, place: Place) -> Part:
    features = place.companion
    if features is None:  # the record of the task names the features of each file
        msg = f"{place.path} has no file of image features"
        raise FormatError(msg)
    captions = reading.lines_of(place.path)
    reading.files[reading.name_of(features)] = checksum_of(features)
    _check_counts(reading, place, len(captions.lines), len(captions.lines))
    return captioned(captions, features, lowercase=reading.lowercase)


def _short(text: str) -> str:
    """A piece of a file for a message."""
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
