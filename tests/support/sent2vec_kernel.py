"""Small problems for the Sent2Vec kernel and its definition, and how either is run on one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sentvec.definitions import sent2vec as reference
from sentvec.kernels.logistic import logistic_table
from sentvec.kernels.random import Key
from sentvec.kernels.rate import Rate
from sentvec.kernels.sent2vec import update as sent2vec
from sentvec.kernels.sent2vec.arguments import Batch, Method, Tables, make_scratch
from sentvec.kernels.setup import alias_table
from sentvec.text.ngrams import ngram_rows, placeholder_rows

DIM = 12


def make_problem(**changes):
    n_words = changes.pop("n_words", 7)
    weights = np.sqrt(np.arange(n_words, 0, -1.0))
    keep, other = np.empty(n_words, np.float32), np.empty(n_words, np.uint32)
    alias_table(weights, keep, other)
    problem = reference.Problem(
        n_words=n_words,
        ngrams=2,
        buckets=5,
        keep=np.full(n_words, 0.7, np.float32),
        alias_keep=keep,
        alias_other=other,
        negatives=4,
    )
    return replace(problem, **changes)


def start_matrices(problem, seed=0):
    rng = np.random.default_rng(seed)
    rows = problem.n_words + (problem.buckets if problem.ngrams > 1 else 0) + problem.released
    V = rng.normal(0, 0.4, (rows, DIM)).astype(np.float32)
    U = rng.normal(0, 0.4, (problem.n_words, DIM)).astype(np.float32)
    return V, U


def run_kernel(sentences, problem, V, U, *, rate=0.2, seed=5, epoch=2, train=sent2vec.train_batch):
    ids = np.array([word for sentence in sentences for word in sentence], np.uint32)
    offsets = np.cumsum([0, *map(len, sentences)])
    shape = {"n_words": problem.n_words, "ngrams": problem.ngrams, "buckets": problem.buckets}
    batch = Batch(
        ids, offsets, np.arange(len(sentences)), ngram_rows(ids, offsets, **shape),
        placeholder_rows(ids, offsets, **shape),
    )  # fmt: skip
    tables = Tables(problem.keep, problem.alias_keep, problem.alias_other, logistic_table())
    method = Method(problem.negatives, problem.shared, problem.drop, problem.tau, problem.released)
    longest = max(map(len, sentences)) * problem.ngrams
    scratch = make_scratch(longest, problem.negatives, DIM)
    whole = Rate(rate, 0.0, 1e12)
    return train(batch, V, U, tables, method, whole, Key(seed, epoch), scratch)


def run_reference(sentences, problem, V, U, *, rate=0.2, seed=5, epoch=2):
    results = [
        reference.train_sentence(
            V, U, sentence, problem, rate, reference.Stream(seed, epoch, number)
        )
        for number, sentence in enumerate(sentences)
    ]
    return sum(loss for loss, _ in results), sum(targets for _, targets in results)
