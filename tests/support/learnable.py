"""A tree of all tasks that can be learned, small, and models to evaluate on it.

The class of a sentence is that of its words; the score of a pair is the share of words its sides
have in common. So a model that counts words does well, and one that returns noise does not.
"""

from __future__ import annotations

import random

import numpy as np

from support.evaluation_trees import MSRP_HEADER, SICK_HEADER, STS_SUBSETS, write, write_images

WORDS = [f"{first}{second}" for first in "bdfgklmnprst" for second in ("a", "e", "i", "o", "u")]
CLASS_WORDS = {
    0: WORDS[:6], 1: WORDS[6:12], 2: WORDS[12:18], 3: WORDS[18:24], 4: WORDS[24:30], 5: WORDS[30:36],
}  # fmt: skip
NOISE = WORDS[36:]
TREC_CLASSES = ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")


def sentence(rng, label, n_words=5):
    """Mostly words of a class, in capitals at the beginning; some are of another."""
    others = CLASS_WORDS[rng.randrange(6)]
    words = [rng.choice(CLASS_WORDS[label] if rng.random() < 0.7 else others) for _ in range(3)]
    words += rng.choices(NOISE, k=n_words - 3)
    rng.shuffle(words)
    return " ".join(words).capitalize()


def pair(rng, kept):
    """Two sentences of eight words with so many in common."""
    left = rng.sample(WORDS, 8)
    right = left[:kept] + rng.sample([word for word in WORDS if word not in left], 8 - kept)
    rng.shuffle(right)
    return " ".join(left), " ".join(right)


def scored_pairs(rng, count, low, high):
    """Rows (left, right, score), the score with some noise."""
    rows = []
    for _ in range(count):
        kept = rng.randrange(9)
        score = low + (high - low) * min(max(kept / 8 + rng.gauss(0, 0.1), 0), 1)
        rows.append((*pair(rng, kept), round(score, 1)))
    return rows


def lines(rows):
    return "".join(f"{row}\n" for row in rows).encode()


def learnable_tree(root, seed=3):
    rng = random.Random(seed)
    for name, one, zero in (
        ("MR", "rt-polarity.pos", "rt-polarity.neg"),
        ("CR", "custrev.pos", "custrev.neg"),
        ("SUBJ", "subj.objective", "subj.subjective"),
        ("MPQA", "mpqa.pos", "mpqa.neg"),
    ):
        for label, file in ((1, one), (0, zero)):
            write(
                root, {f"{name}/{file}": lines(sentence(rng, label) for _ in range(40 - 5 * label))}
            )
    for file, count in (("train_5500.label", 90), ("TREC_10.label", 40)):
        labels = [rng.randrange(6) for _ in range(count)]
        rows = [f"{TREC_CLASSES[label]}:x {sentence(rng, label)} ?" for label in labels]
        write(root, {f"TREC/{file}": lines(rows)})
    for folder, shape in (("binary", "{text} \t{label}"), ("fine", "{label} {text}")):
        for part, count in (("train", 60), ("dev", 30), ("test", 30)):
            labels = [rng.randrange(2 if folder == "binary" else 5) for _ in range(count)]
            rows = [shape.format(text=sentence(rng, label), label=label) for label in labels]
            write(root, {f"SST/{folder}/sentiment-{part}": lines(rows)})
    _write_pairs(root, rng)
    write_images(root, rows=(8, 4, 4))
    return root


def _write_pairs(root, rng):
    for part, count in (("train", 80), ("test", 40)):
        rows = [
            f"{int(score > 0.5)}\t1\t2\t{left}\t{right}"
            for left, right, score in scored_pairs(rng, count, 0, 1)
        ]
        write(root, {f"MRPC/msr_paraphrase_{part}.txt": MSRP_HEADER + b"\n" + lines(rows)})
    judgements = ("CONTRADICTION", "NEUTRAL", "ENTAILMENT")
    for part, count in (("train", 60), ("trial", 30), ("test_annotated", 40)):
        rows = [
            f"1\t{left}\t{right}\t{score}\t{judgements[min(int((score - 1) / 1.4), 2)]}"
            for left, right, score in scored_pairs(rng, count, 1, 5)
        ]
        write(root, {f"SICK/SICK_{part}.txt": SICK_HEADER + b"\n" + lines(rows)})
    for part, count in (("train", 60), ("dev", 30), ("test", 30)):
        rows = [
            f"genre\tfile\tyear\tid\t{score}\t{left}\t{right}"
            for left, right, score in scored_pairs(rng, count, 0, 5)
        ]
        write(root, {f"STS/STSBenchmark/sts-{part}.csv": lines(rows)})
    for year, subsets in STS_SUBSETS.items():
        for place, subset in enumerate(subsets):
            rows = scored_pairs(rng, 10 + 5 * place, 0, 5)
            folder = f"STS/STS{year}-en-test"
            pairs = lines(f"{left}\t{right}" for left, right, _ in rows)
            gold = lines(score for *_, score in rows)
            write(root, {f"{folder}/STS.input.{subset}.txt": pairs,
                         f"{folder}/STS.gs.{subset}.txt": gold})  # fmt: skip


class Counting:
    """Counts the words it knows, in lower case; remembers what it was asked."""

    def __init__(self, words=WORDS):
        self.ids = {word: number for number, word in enumerate(words)}
        self.asked = []

    def encode(self, texts):
        self.asked += texts
        rows = np.zeros((len(texts), len(self.ids)), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                if word in self.ids:
                    row[self.ids[word]] += 1
        return rows


class Answering:
    """Returns what a function makes of the right answer."""

    def __init__(self, change):
        self.change, self.counting = change, Counting()

    def encode(self, texts):
        return self.change(self.counting.encode(texts))
