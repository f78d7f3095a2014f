"""The result tables of the Skip-Thought paper."""

from __future__ import annotations

from sentvec.evaluation.reports.published import Column, Published, rows_of

_PAPER = "Kiros et al. 2015, Skip-Thought vectors"

SICK = Published(
    "SICK relatedness, trained",
    f"{_PAPER}, SICK table",
    (
        Column("r", ("SICK-R/pearson",), "0.0000"),
        Column("rho", ("SICK-R/spearman",), "0.0000"),
        Column("MSE", ("SICK-R/mse",), "0.0000"),
    ),
    rows_of(
        """
Illinois-LH | 0.7993 | 0.7538 | 0.3692
UNAL-NLP | 0.8070 | 0.7489 | 0.3550
Meaning Factory | 0.8268 | 0.7721 | 0.3224
ECNU | 0.8414 | - | -
Mean vectors | 0.7577 | 0.6738 | 0.4557
DT-RNN | 0.7923 | 0.7319 | 0.3822
SDT-RNN | 0.7900 | 0.7304 | 0.3848
LSTM | 0.8528 | 0.7911 | 0.2831
Bidirectional LSTM | 0.8567 | 0.7966 | 0.2736
Dependency Tree-LSTM | 0.8676 | 0.8083 | 0.2532
uni-skip | 0.8477 | 0.7780 | 0.2872
bi-skip | 0.8405 | 0.7696 | 0.2995
combine-skip | 0.8584 | 0.7916 | 0.2687
combine-skip+COCO | 0.8655 | 0.7995 | 0.2561
""",
        3,
    ),
)

MSRP = Published(
    "Paraphrase detection (MSRP)",
    f"{_PAPER}, MSRP table",
    (
        Column("Accuracy", ("MSRP/accuracy",), "per cent"),
        Column("F1", ("MSRP/f1",), "per cent"),
    ),
    rows_of(
        """
feats | 73.2 | -
RAE+DP | 72.6 | -
RAE+feats | 74.2 | -
RAE+DP+feats | 76.8 | 83.6
FHS | 75.0 | 82.7
PE | 76.1 | 82.7
WDDP | 75.6 | 83.0
MTMETRICS | 77.4 | 84.1
uni-skip | 73.0 | 81.9
bi-skip | 71.2 | 81.2
combine-skip | 73.0 | 82.0
combine-skip + feats | 75.8 | 83.0
""",
        2,
    ),
)

_RECALLS = tuple(
    Column(f"{side} R@{k}", (f"COCO/{side} r@{k}",), "per cent")
    for side in ("annotation", "search")
    for k in (1, 5, 10)
)
_RANKS = (
    *_RECALLS[:3],
    Column("annotation Med r", ("COCO/annotation median rank",), "whole"),
    *_RECALLS[3:],
    Column("search Med r", ("COCO/search median rank",), "whole"),
)

COCO = Published(
    "Images and sentences (COCO)",
    f"{_PAPER}, COCO table",
    _RANKS,
    rows_of(
        """
Random | 0.1 | 0.6 | 1.1 | 631 | 0.1 | 0.5 | 1.0 | 500
DVSA | 38.4 | 69.6 | 80.5 | 1 | 27.4 | 60.2 | 74.8 | 3
GMM+HGLMM | 39.4 | 67.9 | 80.9 | 2 | 25.1 | 59.8 | 76.6 | 4
m-RNN | 41.0 | 73.0 | 83.5 | 2 | 29.0 | 42.2 | 77.0 | 3
uni-skip | 30.6 | 64.5 | 79.8 | 3 | 22.7 | 56.4 | 71.7 | 4
bi-skip | 32.7 | 67.3 | 79.6 | 3 | 24.2 | 57.1 | 73.2 | 4
combine-skip | 33.8 | 67.7 | 82.1 | 3 | 25.9 | 60.0 | 74.6 | 4
""",
        8,
    ),
    "The paper uses the image features of OxfordNet and 1,000 test images; figures with other "
    "features cannot be compared",
)

CLASSIFICATION = Published(
    "Classification benchmarks: accuracy",
    f"{_PAPER}, classification table",
    tuple(
        Column(name, (f"{name}/accuracy",), "per cent")
        for name in ("MR", "CR", "SUBJ", "MPQA", "TREC")
    ),
    rows_of(
        """
NB-SVM | 79.4 | 81.8 | 93.2 | 86.3 | -
MNB | 79.0 | 80.0 | 93.6 | 86.3 | -
cBoW | 77.2 | 79.9 | 91.3 | 86.4 | 87.3
GrConv | 76.3 | 81.3 | 89.5 | 84.5 | 88.4
RNN | 77.2 | 82.3 | 93.7 | 90.1 | 90.2
BRNN | 82.3 | 82.6 | 94.2 | 90.3 | 91.0
CNN | 81.5 | 85.0 | 93.4 | 89.6 | 93.6
AdaSent | 83.1 | 86.3 | 95.5 | 93.3 | 92.4
Paragraph-Vector | 74.8 | 78.1 | 90.5 | 74.2 | 91.8
uni-skip | 75.5 | 79.3 | 92.1 | 86.9 | 91.4
bi-skip | 73.9 | 77.9 | 92.5 | 83.3 | 89.4
combine-skip | 76.5 | 80.1 | 93.6 | 87.1 | 92.2
combine-skip + NB | 80.4 | 81.3 | 93.6 | 87.5 | -
""",
        5,
    ),
)

SKIP_THOUGHT_TABLES = (SICK, MSRP, COCO, CLASSIFICATION)
