"""The tasks of sentence pairs, and of images with sentences: one record a task.

Counts are those of the released sets, which the papers used. The first name of a file is that of
SentEval's download script; other names in use follow.

Not here: tasks of single sentences (`sentence_tasks`), finding tasks by name, and the suites
(`suites`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sentvec.evaluation.tasks.data import Columns, DataFile, Task, one_file_a_part

_CORRELATIONS = ("pearson", "spearman")

MSRP = Task(
    name="MSRP",
    title="Microsoft Research Paraphrase corpus",
    kind="pair classification",
    protocol="train-test",
    metrics=("accuracy", "f1"),
    files=one_file_a_part(
        ("MRPC/", "MSRP/", ""),
        {"train": ("msr_paraphrase_train.txt", 4076), "test": ("msr_paraphrase_test.txt", 1725)},
        header=1,
    ),
    columns=Columns(
        texts=(3, 4),
        gold=0,
        cells=5,
        separator="\t",
        header=("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"),
    ),
    line="header; then 0 or 1, two ids, two sentences, with TABs between",
    classes=("0", "1"),
    choose_by="f1",
    aliases=("MRPC",),
    citation="Dolan, Quirk and Brockett 2004, COLING",
    licence="Microsoft Research Shared Source: non-commercial use, notices kept",
)

_SICK = Task(
    name="SICK",
    title="SICK, relatedness by cosine",
    kind="similarity",
    protocol="cosine",
    metrics=_CORRELATIONS,
    files=one_file_a_part(
        ("SICK/", ""),
        {
            "train": ("SICK_train.txt", 4500),
            "dev": ("SICK_trial.txt", 500),
            "test": ("SICK_test_annotated.txt", 4927),
        },
        header=1,
    ),
    columns=Columns(
        texts=(1, 2),
        gold=3,
        cells=5,
        separator="\t",
        header=(
            "pair_ID",
            "sentence_A",
            "sentence_B",
            "relatedness_score",
            "entailment_judgment",
        ),
    ),
    line="header; then id, two sentences, score from 1 to 5, judgement, with TABs between",
    scores=(1.0, 5.0),
    unions={"all": ("train", "dev", "test"), "test + train": ("test", "train")},
    note="The Sent2Vec paper says test + train, but not whether this includes the 500 trial pairs",
    citation="Marelli et al. 2014, LREC",
    licence="CC BY-NC-SA 3.0",
)
SICK = _SICK
SICK_R = replace(
    _SICK,
    name="SICK-R",
    title="SICK, relatedness by regression",
    kind="relatedness",
    protocol="distribution",
    metrics=(*_CORRELATIONS, "mse"),
    unions={},
    aliases=("SICKRelatedness",),
    note="",
)
SICK_E = replace(
    _SICK,
    name="SICK-E",
    title="SICK, entailment",
    kind="pair classification",
    protocol="train-dev-test",
    metrics=("accuracy",),
    columns=replace(_SICK.columns, gold=4),
    classes=("CONTRADICTION", "NEUTRAL", "ENTAILMENT"),
    scores=None,
    unions={},
    aliases=("SICKEntailment",),
    note="",
)


def _subset(year: int, name: str, pairs: int, scored: int) -> DataFile:
    """The input and gold file of a subset; those of 2016 may have the names of the organisers."""
    folder = f"STS/STS{year}-en-test"
    inputs, gold = [f"STS.input.{name}.txt"], [f"STS.gs.{name}.txt"]
    if year == 16:
        inputs += [f"STS2016.input.{name}.txt", f"STS2016.input.{name}.ascii"]
        gold += [f"STS2016.gs.{name}.txt"]
    return DataFile(
        name,
        tuple(f"{folder}/{file}" for file in inputs),
        pairs,
        scored,
        companions=tuple(f"{folder}/{file}" for file in gold),
    )


def _sts(
    year: int,
    source: str,
    subsets: Mapping[str, tuple[int, int]],
    *,
    licence: str,
    note: str = "",
) -> Task:
    """The task of a year; each subset has a number of pairs, and of scored pairs."""
    return Task(
        name=f"STS{year}",
        title=f"Semantic Textual Similarity 20{year}",
        kind="similarity",
        protocol="cosine",
        metrics=_CORRELATIONS,
        files=tuple(_subset(year, name, *counts) for name, counts in subsets.items()),
        columns=Columns(texts=(0, 1), cells=2, separator="\t"),
        line="sentence, TAB, sentence; gold file: a score from 0 to 5, or nothing",
        scores=(0.0, 5.0),
        citation=f"Agirre et al. 20{year}, {source}",
        licence=licence,
        note=note,
    )


STS12 = _sts(
    12,
    "SemEval",
    {
        "MSRpar": (750, 750),
        "MSRvid": (750, 750),
        "SMTeuroparl": (459, 459),
        "surprise.OnWN": (750, 750),
        "surprise.SMTnews": (399, 399),
    },
    licence="MSRpar and MSRvid: Microsoft Research licences, which must be accepted",
)
STS13 = _sts(
    13,
    "*SEM",
    {"FNWN": (189, 189), "headlines": (750, 750), "OnWN": (561, 561)},
    licence="not stated where the set is published",
    note="The subset SMT is left out: its 750 pairs belong to the LDC (LDC2013T18) and are not "
    "redistributable; only their scores are public",
)
STS14 = _sts(
    14,
    "SemEval",
    {
        "deft-forum": (450, 450),
        "deft-news": (300, 300),
        "headlines": (750, 750),
        "images": (750, 750),
        "OnWN": (750, 750),
        "tweet-news": (750, 750),
    },
    licence="images: CC BY-SA; the others: not stated where the set is published",
    note="The Sent2Vec paper mentions 3,770 pairs; the released set has 3,750",
)
STS15 = _sts(
    15,
    "SemEval",
    {
        "answers-forums": (2000, 375),
        "answers-students": (1500, 750),
        "belief": (2000, 375),
        "headlines": (1500, 750),
        "images": (1500, 750),
    },
    licence="answers-forums: CC BY-SA 3.0 with attribution; the others: not stated",
)
STS16 = _sts(
    16,
    "SemEval",
    {
        "answer-answer": (1572, 254),
        "headlines": (1498, 249),
        "plagiarism": (1271, 230),
        "postediting": (3287, 244),
        "question-question": (1555, 209),
    },
    licence="answer-answer, question-question: CC BY-SA 3.0; postediting: CC BY 4.0; "
    "plagiarism: CC BY-NC-SA 2.0 UK; headlines: EMM's terms",
)

STSB = Task(
    name="STSB",
    title="STS Benchmark, by regression",
    kind="relatedness",
    protocol="distribution",
    metrics=(*_CORRELATIONS, "mse"),
    files=one_file_a_part(
        ("STS/STSBenchmark/", "stsbenchmark/"),
        {
            "train": ("sts-train.csv", 5749),
            "dev": ("sts-dev.csv", 1500),
            "test": ("sts-test.csv", 1379),
        },
    ),
    columns=Columns(texts=(5, 6), gold=4, cells=7, separator="\t"),
    line="genre, file, year, id, score from 0 to 5, two sentences, with TABs between; no header",
    scores=(0.0, 5.0),
    aliases=("STSBenchmark", "STS-B"),
    citation="Cer et al. 2017, SemEval",
    licence="scores: CC BY-SA 4.0; texts: by source, see its LICENSE.txt",
)
STSB_COSINE = replace(
    STSB,
    name="STSB-cosine",
    title="STS Benchmark, by cosine",
    kind="similarity",
    protocol="cosine",
    metrics=_CORRELATIONS,
    files=tuple(file for file in STSB.files if file.part != "train"),
    unions={"test": ("test",), "dev": ("dev",)},
    aliases=(),
)

COCO = Task(
    name="COCO",
    title="images and sentences, ranking",
    kind="ranking",
    protocol="ranking",
    metrics=("r@1", "r@5", "r@10", "median rank"),
    files=tuple(
        DataFile(part, (f"COCO/{part}_caps.txt",), lines, lines,
                 companions=(f"COCO/{part}_ims.npy",))
        for part, lines in (("train", None), ("dev", 5000), ("test", 5000))
    ),
    columns=Columns(),
    line="one caption, five in a row for each image; .npy file: one row of features for each image",
    aliases=("ImageCaptionRetrieval",),
    note="The user provides the features; figures with other features cannot be compared",
    citation="Lin et al. 2014, ECCV",
    licence="not stated where the captions are published",
)  # fmt: skip
