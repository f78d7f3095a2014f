"""The tasks of single sentences with a class each: one record for each task.

Counts are those of the released sets, which the papers used. The first name of a file is that of
SentEval's download script; other names in use follow.

Not here: tasks of pairs (`pair_tasks`), finding tasks by name, and the suites (`suites`).
"""

from __future__ import annotations

from typing import Any, TypeAlias

from sentvec.evaluation.tasks.data import Columns, DataFile, Task, one_file_a_part

_PANG_LEE = "CC BY 4.0, Pang and Lee (as NLTK states it)"
_NOT_STATED = "not stated where the set is published"

_ClassFile: TypeAlias = tuple[int, *tuple[str, ...]]  # sentences, names


def _two_files(name: str, one: _ClassFile, zero: _ClassFile, **rest: Any) -> Task:
    """A task with a file for each class, class 1 first: the order of the released scripts.

    The last name is that of the flat layout.
    """
    files = tuple(
        DataFile("all", (*(f"{name}/{n}" for n in names), *reversed(names)), count, count, label)
        for label, (count, *names) in ((1, one), (0, zero))
    )
    return Task(
        name=name,
        kind="classification",
        protocol="nested",
        metrics=("accuracy",),
        files=files,
        columns=Columns(),
        line="one sentence, which may be blank",
        encoding="latin-1",
        **rest,
    )


def _treebank(name: str, folders: tuple[str, ...], rows: tuple[int, int, int], **rest: Any) -> Task:
    """A task of the Stanford Sentiment Treebank; all of them use the same three file names."""
    parts = zip(("train", "dev", "test"), rows, strict=True)
    return Task(
        name=name,
        kind="classification",
        protocol="train-dev-test",
        metrics=("accuracy",),
        files=one_file_a_part(folders, {part: (f"sentiment-{part}", n) for part, n in parts}),
        citation="Socher et al. 2013, EMNLP",
        licence=_NOT_STATED,
        **rest,
    )


MR = _two_files(
    "MR",
    (5331, "rt-polarity.pos"),
    (5331, "rt-polarity.neg"),
    title="movie reviews, sentiment",
    classes=("negative", "positive"),
    citation="Pang and Lee 2005, ACL",
    licence=_PANG_LEE,
)

CR = _two_files(
    "CR",
    (2407, "custrev.pos"),
    (1368, "custrev.neg"),
    title="product reviews, sentiment",
    classes=("negative", "positive"),
    citation="Hu and Liu 2004, KDD",
    licence="CC BY 4.0, Liu (as NLTK states it of the reviews this set is made of)",
)

SUBJ = _two_files(
    "SUBJ",
    (5000, "subj.objective", "plot.tok.gt9.5000"),
    (5000, "subj.subjective", "quote.tok.gt9.5000"),
    title="subjective or objective",
    classes=("subjective", "objective"),
    citation="Pang and Lee 2004, ACL",
    licence=_PANG_LEE,
    note="Objective is class 1, as in SentEval and skip-thoughts; other copies have it reversed",
)

MPQA = _two_files(
    "MPQA",
    (3312, "mpqa.pos"),
    (7294, "mpqa.neg"),
    title="phrases, polarity of opinion",
    classes=("negative", "positive"),
    citation="Wiebe, Wilson and Cardie 2005, Language Resources and Evaluation",
    licence=_NOT_STATED,
)

TREC = Task(
    name="TREC",
    title="type of a question",
    kind="classification",
    protocol="train-test",
    metrics=("accuracy",),
    files=one_file_a_part(
        ("TREC/", ""), {"train": ("train_5500.label", 5452), "test": ("TREC_10.label", 500)}
    ),
    columns=Columns(texts=(1,), gold=0, cells=2, separator=" ", label_ends=":"),
    line="COARSE:fine, a space, question; only the coarse label is used",
    encoding="latin-1",
    classes=("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"),
    citation="Li and Roth 2002, COLING",
    licence=_NOT_STATED,
)

SST2 = _treebank(
    "SST2",
    ("SST/binary/", "SST/Binary/"),
    (67349, 872, 1821),
    title="Stanford Sentiment Treebank, two classes",
    columns=Columns(texts=(0,), gold=1, cells=2, separator="\t"),
    line="text, TAB, 0 or 1",
    classes=("0", "1"),
    aliases=("SST-2",),
    note="train contains phrases of the trees, as in SentEval; 6,920 of them are whole sentences",
)

SST5 = _treebank(
    "SST5",
    ("SST/fine/", "SST/Fine-Grained/"),
    (8544, 1101, 2210),
    title="Stanford Sentiment Treebank, five classes",
    columns=Columns(texts=(1,), gold=0, cells=2, separator=" "),
    line="0 to 4, a space, text",
    classes=("0", "1", "2", "3", "4"),
    aliases=("SST-5",),
)
