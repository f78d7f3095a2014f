"""The public evaluation sets that the benchmarks read, from a folder in the layout of SentEval.

STS 2014 and SICK (pairs with a score); MR, CR, SUBJ, MPQA, TREC and MRPC (classes). Sentences are
lower-cased and split at white space.

Not here: the tasks of `sentvec evaluate`, which leave the text unchanged
(`sentvec.evaluation.tasks`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

STS14 = ("deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news")
SICK = ("SICK_train.txt", "SICK_trial.txt", "SICK_test_annotated.txt")
TWO_FILES = {  # name: (file of class 1, file of class 0)
    "MR": ("rt-polarity.pos", "rt-polarity.neg"),
    "CR": ("custrev.pos", "custrev.neg"),
    "SUBJ": ("subj.objective", "subj.subjective"),
    "MPQA": ("mpqa.pos", "mpqa.neg"),
}


def default_data() -> Path:
    """Return the folder of the sets that `--data` replaces, below `SENTVEC_SHARED`."""
    shared = os.environ.get("SENTVEC_SHARED") or Path(__file__).resolve().parents[3] / "shared"
    return Path(shared) / "data" / "eval" / "tokenised"


@dataclass(frozen=True, slots=True)
class Part:
    """One column of sentences, or two of pairs, with the gold class or score of each row."""

    columns: tuple[list[str], ...]
    gold: list[str]


Task: TypeAlias = tuple[Part, Part | None]  # the train part and the test part, if any


def tokenise(text: str) -> str:
    """Lower-case `text` and put one space between its words."""
    return " ".join(text.lower().split())


def read_lines(path: Path, encoding: str) -> list[str]:
    r"""Read the lines of a file, which end in `\n` or `\r\n` and nowhere else.

    Not `str.splitlines`: the latin-1 files hold 0x85, which it takes for the end of a line.
    """
    content = path.read_bytes().removesuffix(b"\n")
    if not content:
        msg = f"{path} is empty - expected one item a line - fetch the data set again."
        raise ValueError(msg)
    return [line.removesuffix(b"\r").decode(encoding) for line in content.split(b"\n")]


def read_rows(path: Path, encoding: str, columns: int) -> list[list[str]]:
    """Read tab-separated rows, which know no quoting and have at least `columns` cells."""
    rows = [line.split("\t") for line in read_lines(path, encoding)]
    for number, row in enumerate(rows, start=1):
        if len(row) < columns:
            msg = f"{path}:{number} has {len(row)} cells - expected {columns}, separated by tabs."
            raise ValueError(msg)
    return rows


def make_part(rows: Sequence[Sequence[str]]) -> Part:
    """Build a part from (sentence, ..., gold) rows."""
    *columns, gold = map(list, zip(*rows, strict=True))
    return Part(tuple([tokenise(text) for text in column] for column in columns), gold)


def read_sts(folder: Path, subset: str) -> Part:
    """Read one subset of an STS year; pairs that nobody scored are left out."""
    path = folder / f"STS.input.{subset}.txt"
    texts = read_rows(path, "utf-8", 2)
    gold = read_lines(folder / f"STS.gs.{subset}.txt", "utf-8")
    if len(texts) != len(gold):
        msg = f"{path} has {len(texts)} pairs - its gold file has {len(gold)} lines."
        raise ValueError(msg)
    pairs = zip(texts, gold, strict=True)
    return make_part([(*row[:2], score) for row, score in pairs if score.strip()])


def read_similarity(data: Path) -> dict[str, Part]:
    """Read the seven sets of STS14+SICK."""
    sets = {subset: read_sts(data / "STS" / "STS14-en-test", subset) for subset in STS14}
    sick = [row for name in SICK for row in read_rows(data / "SICK" / name, "utf-8", 5)[1:]]
    return {**sets, "SICK": make_part([row[1:4] for row in sick])}


def read_two_files(folder: Path, names: tuple[str, str]) -> Part:
    """Read a task with one file a class; blank lines are dropped."""
    lines = [read_lines(folder / name, "latin-1") for name in names]
    rows = [(text, gold) for part, gold in zip(lines, ("1", "0"), strict=True) for text in part]
    return make_part([row for row in rows if row[0].strip()])


def read_trec(path: Path) -> Part:
    """Read `COARSE:fine question` lines; the class is the coarse one."""
    rows = [line.split(" ", 1) for line in read_lines(path, "latin-1")]
    return make_part([(question, label.split(":")[0]) for label, question in rows])


def read_mrpc(path: Path) -> Part:
    """Read paraphrase rows: class, two ids, two sentences, below a header."""
    return make_part([(*row[3:5], row[0]) for row in read_rows(path, "utf-8-sig", 5)[1:]])


def read_tasks(data: Path) -> dict[str, Task]:
    """Read the six classification tasks."""
    trec = data / "TREC"
    train, test = (data / "MRPC" / f"msr_paraphrase_{part}.txt" for part in ("train", "test"))
    return {
        **{name: (read_two_files(data / name, names), None) for name, names in TWO_FILES.items()},
        "TREC": (read_trec(trec / "train_5500.label"), read_trec(trec / "TREC_10.label")),
        "MRPC": (read_mrpc(train), read_mrpc(test)),
    }
