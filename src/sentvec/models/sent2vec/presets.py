"""Presets: the settings of the paper's models, and our own default.

The paper's rows are table 5 of Pagliardini et al. (2018); the L1 rows are appendix B (the same
settings with tau = 0.0005). What the paper does not state is our default: buckets are chosen from
the corpus, text is tokenised with `simple`.

The default of Sent2Vec is for corpora of 10^5 to 10^8 words and was chosen by measurement
(docs/results): more words are predicted (t), each against more words, shared by the sentence,
and more n-grams are left out.

`paper/siamese-cbow` is section 3 of Kenter, Borisov and de Rijke (2016). What the paper does not
state is as in their program: the start, sentences cut at 50 words, and two neighbours or none.
`siamese-cbow` is our default (docs/papers.md).

`paper/uni-skip` and `paper/bi-skip` are section 3.1 of Kiros et al. (2015); the learning rate and
the longest sentence, which it does not state, are those of the released program. `skip-thought` is
our default, small enough for a CPU.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

_DEFAULT: dict[str, Any] = {}


def _paper(
    dim: int, min_count: int, min_target_count: int, epochs: int, subsample: float, drop: int | None
) -> dict[str, Any]:
    """A row of table 5, in its order; `drop` is K, None for the unigram models."""
    return {
        "dim": dim,
        "min_count": min_count,
        "min_target_count": min_target_count,
        "lr": 0.2,
        "epochs": epochs,
        "subsample": subsample,
        "ngrams": 1 if drop is None else 2,
        "drop_ngrams": drop or 0,
        "negatives": 10,
        "shared_negatives": False,
    }


_BOOKS_BIGRAMS = _paper(700, 5, 5, 12, 5e-6, 7)
_WIKI_BIGRAMS = _paper(700, 8, 20, 9, 5e-6, 4)

PRESETS: MappingProxyType[str, dict[str, Any]] = MappingProxyType(
    {
        "default": _DEFAULT,
        "paper/books-unigrams": _paper(700, 5, 8, 13, 1e-5, None),
        "paper/books-bigrams": _BOOKS_BIGRAMS,
        "paper/books-bigrams-l1": {**_BOOKS_BIGRAMS, "l1": 0.0005},
        "paper/wiki-unigrams": _paper(600, 8, 20, 9, 1e-5, None),
        "paper/wiki-bigrams": _WIKI_BIGRAMS,
        "paper/wiki-bigrams-l1": {**_WIKI_BIGRAMS, "l1": 0.0005},
        "paper/twitter-unigrams": _paper(700, 20, 20, 3, 1e-6, None),
        "paper/twitter-bigrams": _paper(700, 20, 20, 3, 1e-6, 3),
    }
)

SIAMESE_PRESETS: MappingProxyType[str, dict[str, Any]] = MappingProxyType(
    {
        "siamese-cbow": {},
        "paper/siamese-cbow": {
            "dim": 300,
            "epochs": 1,
            "lr": 1e-4,
            "optimizer": "sgd",
            "batch": 100,
            "batch_gradient": "mean",
            "min_count": 5,
            "positives": 2,
            "edges": "skip",
            "negatives": 2,
            "shared_negatives": False,
            "temperature": 1.0,
            "max_tokens": 50,
            "subsample": 0.0,
            "init_std": 0.01,
        },
    }
)

_UNI_SKIP: dict[str, Any] = {
    "encoder": "uni",
    "dim": 2400,
    "word_dim": 620,
    "max_vocab": 20_000,
    "min_count": 1,
    "batch": 128,
    "max_tokens": 29,
    "clip": 10.0,
    "lr": 2e-4,
    "decay": False,
    "epochs": 5,
    "softmax": "full",
}

SKIP_THOUGHT_PRESETS: MappingProxyType[str, dict[str, Any]] = MappingProxyType(
    {
        "skip-thought": {},
        "paper/uni-skip": _UNI_SKIP,
        "paper/bi-skip": {**_UNI_SKIP, "encoder": "bi"},
    }
)
