"""A planted corpus whose right answers are known by construction, and the models that must find them.

Topics: each sentence takes its words from one topic, so the nearest sentences of a sentence are of its
topic. Verdicts: `very good` and `not bad` stand with glad words, `not good` and `very bad` with sad
ones. Each of the four words stands with glad and sad words equally often, so the words alone cannot
tell the four verdicts apart, whatever their vectors: f(not good) + f(very bad) and f(very good) +
f(not bad) are equal for every linear f. Word pairs can.

A later model joins the suite by adding an entry to `MODELS`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sentvec import Sent2Vec, SiameseCBOW, SkipThought

TOPICS = {
    "sea": "harbour sail anchor tide wave captain storm deck shore mast",
    "kitchen": "oven flour butter recipe spoon dough sugar pan baker cake",
    "garden": "rose soil seed spade leaf hedge bloom lawn root tulip",
    "court": "judge trial lawyer witness verdict jury crime oath appeal guilt",
}
GLAD = ["joy", "delight", "smile", "praise", "cheer", "applause"]
SAD = ["grief", "anger", "tears", "blame", "gloom", "regret"]
VERDICTS = {"very good": GLAD, "not bad": GLAD, "not good": SAD, "very bad": SAD}
COMMON = ("the", "of", "and", "with")


def topic_sentence(topic: str, rng: random.Random) -> str:
    """Five different words of a topic with common words between them."""
    words = rng.sample(TOPICS[topic].split(), 5)
    for place in (1, 3):
        words.insert(place, rng.choice(COMMON))
    return " ".join(words)


def verdict_sentence(verdict: str, rng: random.Random) -> str:
    """A verdict, and four words of its mood."""
    return " ".join([verdict, *rng.sample(VERDICTS[verdict], 4)])


def planted_corpus(seed: int = 7) -> list[str]:
    """Documents of ten sentences on one topic or of one verdict; an empty line ends each."""
    rng = random.Random(seed)
    makers = [(topic_sentence, name) for name in TOPICS]
    makers += [(verdict_sentence, name) for name in VERDICTS]
    lines = []
    for _ in range(12):
        rng.shuffle(makers)
        for make, name in makers:
            lines += [*(make(name, rng) for _ in range(10)), ""]
    return lines


def unseen_sentences(seed: int = 70) -> list[tuple[str, str]]:
    """(topic, sentence) pairs that are not in the corpus, five of each topic, topics mixed."""
    rng = random.Random(seed)
    known = set(planted_corpus())
    pairs = [(topic, topic_sentence(topic, rng)) for _ in range(5) for topic in TOPICS]
    assert not known & {sentence for _, sentence in pairs}
    return pairs


@dataclass(frozen=True)
class Model:
    """A model of the suite: how a small one is trained on lines, and what is special to it.

    Attributes:
        name: Of the model.
        train: Trains it on lines, with changes to the settings of the suite.
        pairs: Whether it learns what pairs of words mean from this corpus.
        without_pairs: Settings that keep it from that.
        rounding: By how much a vector may differ with the texts beside it: 0 where each is added
            up on its own; where they share products of matrices, sums are rounded in another order.
    """

    name: str
    train: Callable[..., Any]
    pairs: bool
    without_pairs: dict[str, Any] = field(default_factory=dict)
    rounding: float = 0.0


def train_sent2vec(lines: list[str], **changes: Any) -> Sent2Vec:
    """A small Sent2Vec model, trained within a tenth of a second once the kernels are loaded."""
    settings = {"dim": 16, "epochs": 12, "min_count": 1, "subsample": 0.0, "negatives": 5,
                "drop_ngrams": 2, "buckets": 2000, "threads": 1}  # fmt: skip
    return Sent2Vec.train(lines, **{**settings, **changes})


def train_siamese(lines: list[str], **changes: Any) -> SiameseCBOW:
    """A small Siamese CBOW model: the sentences of a document of the corpus are of one topic."""
    settings = {"dim": 20, "epochs": 12, "min_count": 1, "batch": 5, "negatives": 10, "threads": 1}
    return SiameseCBOW.train(lines, **{**settings, **changes})


def train_skip_thought(lines: list[str], **changes: Any) -> SkipThought:
    """A small Skip-Thought model, trained within two seconds once torch is loaded."""
    settings = {"encoder": "bi", "dim": 24, "word_dim": 16, "epochs": 10, "lr": 0.03, "batch": 64,
                "min_count": 1, "device": "cpu", "threads": 1}  # fmt: skip
    return SkipThought.train(lines, **{**settings, **changes})


MODELS = [
    Model("sent2vec", train_sent2vec, pairs=True, without_pairs={"ngrams": 1}),
    Model("siamese-cbow", train_siamese, pairs=False),
    # It reads the words in their order (test_skip_thought.py), but here the words of a mood stand
    # behind every verdict, so that nothing is won by understanding the verdict.
    Model("skip-thought", train_skip_thought, pairs=False, rounding=1e-6),
]
