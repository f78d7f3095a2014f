"""The compiled kernel against the definition, and the definition against finite differences."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentvec.definitions import siamese_cbow as reference
from sentvec.definitions.siamese_cbow import Batch, Example, Problem
from sentvec.kernels.random import Key
from sentvec.kernels.rate import Rate
from sentvec.kernels.siamese_cbow import pairing, slots
from sentvec.kernels.siamese_cbow import update as siamese

DIM = 6
SEED, EPOCH = 5, 2


def corpus_of(documents):
    """Sentences one after the other, their offsets, and where documents begin."""
    sentences = [sentence for document in documents for sentence in document]
    offsets = np.cumsum([0, *map(len, sentences)])
    ids = np.array([word for sentence in sentences for word in sentence], np.uint32)
    return sentences, ids, offsets, np.cumsum([0, *map(len, documents)])


def text_of(documents, problem):
    _, ids, offsets, starts_of_documents = corpus_of(documents)
    roles = np.zeros(len(offsets) - 1, np.uint8)
    pairing.fill_roles(offsets, starts_of_documents, problem.positives, problem.skip_edges, roles)
    starts = np.empty(0, np.int64)
    if problem.shared:
        starts = np.empty(pairing.count_runs(starts_of_documents, problem.batch) + 1, np.int64)
        pairing.fill_starts(starts_of_documents, problem.batch, starts)
    text = slots.Text(ids, offsets, roles, starts)
    for array in text:  # read-only, as in a run: else the kernel is compiled once more
        array.flags.writeable = False
    return text


def scratch_of(problem, longest, dim=DIM):
    n = problem.batch * (3 + problem.negatives) + 2
    return slots.make_scratch(n, problem.batch, problem.negatives, longest, dim)


def run_kernel(documents, problem, V, squares, *, rate=0.1, units=None):
    """Train on all runs or sentences in order (or on those of `units`)."""
    text = text_of(documents, problem)
    if units is None:
        units = np.arange(len(text.starts) - 1 if problem.shared else len(text.roles))
    longest = max(1, min(problem.longest, int(np.diff(text.offsets).max())))
    keep = np.empty(0, np.float32) if problem.keep is None else problem.keep
    method = slots.Method(
        problem.batch, problem.negatives, problem.shared, longest, problem.temperature,
        problem.mean, keep,
    )  # fmt: skip
    if problem.optimizer == "sgd":
        squares = squares[:0]
    batch = slots.Batch(units, np.zeros(len(units) + 1, np.int64))
    scratch = scratch_of(problem, longest, V.shape[1])
    whole = Rate(rate, 0.0, 1e12)
    return siamese.train_batch(text, batch, V, squares, method, whole, Key(SEED, EPOCH), scratch)


def batches_of(documents, problem):
    """The batches of the definition, in the order of `run_kernel`."""
    sentences, _, _, starts = corpus_of(documents)
    if problem.shared:
        edges = [
            (s, min(s + problem.batch, end))
            for first, end in pairwise(starts)
            for s in range(first, end, problem.batch)
        ]
        for number, run in enumerate(edges):
            rng = reference.Stream(SEED, EPOCH, number)
            yield reference.run_batch(sentences, starts, run, problem, rng)
        return
    middles = [
        s for s in range(len(sentences)) if reference.neighbours(sentences, starts, s, problem)
    ]
    for k in range(0, len(middles), problem.batch):
        chosen = middles[k : k + problem.batch]
        streams = [reference.Stream(SEED, EPOCH, s) for s in chosen]
        yield reference.middles_batch(sentences, starts, chosen, problem, streams)


def start_matrices(n_words=9, dim=DIM, seed=0):
    V = np.random.default_rng(seed).normal(0, 0.4, (n_words, dim)).astype(np.float32)
    return V, np.zeros(n_words, np.float32)


def assert_agree(documents, problem, tolerance=2e-5, V=None, rate=0.1):
    V = start_matrices()[0] if V is None else V
    squares = np.zeros(len(V), np.float32)
    V64, squares64 = V.astype(np.float64), squares.astype(np.float64)
    loss, examples = run_kernel(documents, problem, V, squares, rate=rate)
    results = [
        reference.update(V64, squares64, batch, problem, rate)
        for batch in batches_of(documents, problem)
    ]
    assert examples == sum(count for _, count in results)
    assert loss == pytest.approx(sum(value for value, _ in results), rel=1e-5, abs=1e-5)
    np.testing.assert_allclose(V, V64, atol=tolerance)
    np.testing.assert_allclose(squares, squares64, rtol=1e-4, atol=1e-7)
    return examples


# --- the definition -----------------------------------------------------------------------------

SLOTS = [[0, 3, 3, 7], [1], [2, 5, 8], [4, 0], [6, 6, 1], [3, 7]]
BATCH = Batch(SLOTS, [Example(0, [1, 2], [3, 4]), Example(2, [0], [3, 5]), Example(1, [5], [4])])


def total_loss(V, batch, temperature):
    return sum(reference.loss(V, batch, example, temperature) for example in batch.examples)


@pytest.mark.parametrize("temperature", [1.0, 7.0])
def test_gradient_of_the_definition_agrees_with_finite_differences(temperature):
    V = np.random.default_rng(1).normal(0, 0.5, (9, 5))
    moved, rate, h = V.copy(), 1e-6, 1e-6
    problem = Problem(temperature=temperature, mean=False)
    reference.update(moved, np.zeros(9), BATCH, problem, rate)
    for index in np.ndindex(V.shape):
        kept = V[index]
        V[index] = kept + h
        above = total_loss(V, BATCH, temperature)
        V[index] = kept - h
        below = total_loss(V, BATCH, temperature)
        V[index] = kept
        assert (moved[index] - kept) / rate == pytest.approx(-(above - below) / (2 * h), abs=1e-5)


def test_gradient_of_the_definition_agrees_with_torch():
    torch = pytest.importorskip("torch")
    V = np.random.default_rng(2).normal(0, 0.5, (9, 5))
    moved, rate = V.copy(), 1e-3
    problem = Problem(temperature=4.0, mean=True)
    loss, n = reference.update(moved, np.zeros(9), BATCH, problem, rate)
    weights = torch.tensor(V, requires_grad=True)
    means = torch.stack([weights[list(words)].mean(0) for words in SLOTS])
    total = torch.zeros((), dtype=torch.float64)
    for example in BATCH.examples:
        candidates = means[[*example.positives, *example.negatives]]
        cosines = torch.cosine_similarity(means[example.middle][None], candidates)
        targets = torch.zeros(len(candidates), dtype=torch.float64)
        targets[: len(example.positives)] = 1 / len(example.positives)
        total = total + torch.nn.functional.cross_entropy(4.0 * cosines, targets)
    (total / n).backward()
    assert loss == pytest.approx(total.item(), rel=1e-9)
    np.testing.assert_allclose((V - moved) / rate, weights.grad.numpy(), atol=1e-9)


def test_the_loss_lies_where_the_paper_puts_it():
    # Two positives and two negatives: ln 4 where all look alike, ln(2 + 2 / e^2) at the best.
    V = np.array([[1.0, 0.0], [-1.0, 0.0]])
    example = Example(0, [1, 2], [3, 4])
    alike = reference.loss(V, Batch([[0]] * 5), example)
    best = reference.loss(V, Batch([[0], [0], [0], [1], [1]]), example)
    assert alike == pytest.approx(np.log(4))
    assert best == pytest.approx(np.log(2 + 2 * np.exp(-2)))


def test_adagrad_takes_steps_of_one_size_whatever_the_size_of_the_gradient():
    V = np.random.default_rng(3).normal(0, 0.5, (9, 5))
    problem = Problem(optimizer="adagrad", mean=False)
    once = Batch([[0], [1], [2]], [Example(0, [1], [2])])
    for scale in (1.0, 1e-3):
        small, squares = scale * V, np.zeros(9)
        before = small.copy()
        reference.update(small, squares, once, problem, 0.1)
        sizes = np.sqrt(np.mean((small - before)[:3] ** 2, axis=1))
        np.testing.assert_allclose(sizes, 0.1, rtol=1e-6)
        assert not np.any((small - before)[3:])


# --- the kernel against it ----------------------------------------------------------------------

documents_of = st.lists(
    st.lists(st.lists(st.integers(0, 8), min_size=0, max_size=7), min_size=1, max_size=7),
    min_size=1,
    max_size=3,
).filter(lambda documents: any(any(sentences) for sentences in documents))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    documents=documents_of,
    shared=st.booleans(),
    batch=st.sampled_from([1, 2, 3, 16]),
    negatives=st.sampled_from([1, 2, 5]),
    optimizer=st.sampled_from(["sgd", "adagrad"]),
    mean=st.booleans(),
    positives=st.sampled_from([1, 2]),
    skip_edges=st.booleans(),
    temperature=st.sampled_from([1.0, 6.0]),
    longest=st.sampled_from([2, 100]),
    subsampled=st.booleans(),
)
def test_kernel_agrees_with_the_definition(documents, subsampled, **choices):
    keep = np.linspace(0.2, 1.0, 9, dtype=np.float32) if subsampled else None
    # float32 against float64: a nearly zero mean has a gradient that magnifies the difference
    assert_agree(documents, Problem(keep=keep, **choices), tolerance=3e-4)


@pytest.mark.parametrize("optimizer", ["sgd", "adagrad"])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("dim", [2, 3, 8, 100])
def test_kernel_agrees_in_every_dimension(dim, shared, optimizer):
    rng = np.random.default_rng(dim)
    documents = [
        [rng.integers(0, 50, rng.integers(1, 9)).tolist() for _ in range(40)] for _ in range(2)
    ]
    V, _ = start_matrices(50, dim)
    problem = Problem(shared=shared, optimizer=optimizer, negatives=7, temperature=5.0, mean=False)
    assert assert_agree(documents, problem, tolerance=1e-3, V=V, rate=0.02) == 80


def test_sentences_of_very_different_lengths_share_a_batch():
    rng = np.random.default_rng(4)
    lengths = [1, 3000, 2, 700, 1, 1, 40, 1500]
    documents = [[rng.integers(0, 9, n).tolist() for n in lengths]]
    for shared in (False, True):
        for longest in (50, 10_000):
            problem = Problem(shared=shared, longest=longest, optimizer="adagrad", mean=False)
            assert assert_agree(documents, problem, tolerance=1e-3, rate=0.01) == 8


def test_a_short_sentence_after_a_long_one_keeps_nothing_of_it():
    # The reference program did not clear its arrays between batches.
    problem = Problem(batch=1)
    V, squares = start_matrices()
    documents = [[[8, 8, 8, 8, 8, 8], [7, 7, 7, 7]], [[0], [1]]]
    run_kernel(documents, problem, V, squares, units=np.array([0, 1]))
    alone, twin = V.copy(), V.copy()
    text = [[[8] * 6, [7] * 4], [[0], [1]]]
    run_kernel(text, problem, V, squares, units=np.array([0, 2]))
    run_kernel(text, problem, alone, squares, units=np.array([0]))
    run_kernel(text, problem, alone, squares, units=np.array([2]))
    assert np.array_equal(V, alone)
    assert not np.array_equal(V, twin)


def test_ids_above_65535_keep_their_rows():
    n = 70_000
    V = np.random.default_rng(5).normal(0, 0.4, (n, DIM)).astype(np.float32)
    documents = [[[65_536, 65_537], [69_999], [66_000, 68_000, 1]], [[67_000, 0], [65_535]]]
    for shared in (False, True):
        problem = Problem(shared=shared, optimizer="adagrad", mean=False)
        before = V.copy()
        assert_agree(documents, problem, V=V, rate=0.05)
        changed = np.flatnonzero((before != V).any(axis=1))
        used = {word for document in documents for sentence in document for word in sentence}
        assert set(changed.tolist()) <= used


def test_words_that_stand_twice_move_twice():
    V, squares = start_matrices()
    before = V.copy()
    run_kernel([[[0, 0, 1], [2]], [[3]]], Problem(negatives=1), V, squares)
    move = V - before
    np.testing.assert_allclose(move[0], 2 * move[1], atol=1e-6)


# --- zeros and not-a-numbers --------------------------------------------------------------------


@pytest.mark.parametrize("optimizer", ["sgd", "adagrad"])
@pytest.mark.parametrize("shared", [False, True])
def test_zero_vectors_have_cosine_zero_and_no_gradient(shared, optimizer):
    problem = Problem(shared=shared, optimizer=optimizer, temperature=3.0)
    documents = [[[0, 1], [2], [3, 4], [5]], [[6], [7, 8]]]
    V, squares = np.zeros((9, DIM), np.float32), np.zeros(9, np.float32)
    loss, examples = run_kernel(documents, problem, V, squares)
    assert not V.any()
    assert not squares.any()
    assert 0 < loss < examples * np.log(4.001)
    V, _ = start_matrices()
    V[0], V[1], V[2] = 1.0, -1.0, 0.0  # a mean that cancels, and a row of zeros
    assert_agree(documents, problem, V=V)
    assert np.isfinite(V).all()
    assert not V[2].any()


def test_means_that_hardly_differ_from_zero_stay_finite():
    documents = [[[0, 1], [2], [3, 4], [5]], [[6], [7, 8]]]
    for scale in (1e-12, 1e-20, 1e-30, 1e-38):
        V, squares = (scale * start_matrices()[0]).astype(np.float32), np.zeros(9, np.float32)
        loss, _ = run_kernel(documents, Problem(optimizer="adagrad"), V, squares)
        assert np.isfinite(loss)
        assert np.isfinite(V).all()


def test_loss_is_nan_and_nothing_crashes_where_the_matrix_holds_nan():
    V, squares = start_matrices()
    V[2, 3] = np.nan
    loss, _ = run_kernel([[[0, 1], [2], [3, 4]], [[6], [7, 8]]], Problem(), V, squares)
    assert np.isnan(loss)


def test_a_rate_of_zero_computes_losses_and_changes_nothing():
    documents = [[[0, 1], [2], [3, 4], [5]], [[6], [7, 8]]]
    for optimizer in ("sgd", "adagrad"):
        V, squares = start_matrices()
        before = V.copy()
        loss, examples = run_kernel(documents, Problem(optimizer=optimizer), V, squares, rate=0.0)
        assert loss > 0 < examples
        assert np.array_equal(V, before)
        assert not squares.any()


# --- neighbours ---------------------------------------------------------------------------------


def roles_of(documents, **choices):
    return text_of(documents, replace(Problem(), **choices)).roles.tolist()


W = [1]  # a sentence with a word


def test_sentences_pair_only_within_their_document():
    assert roles_of([[W, W, W], [W, W], [W]]) == [2, 3, 1, 2, 1, 0]
    assert roles_of([[W, W, W], [W, W], [W]], positives=1) == [2, 2, 0, 2, 0, 0]


def test_edges_are_skipped_where_that_is_asked_for():
    assert roles_of([[W, W, W], [W, W], [W]], skip_edges=True) == [0, 3, 0, 0, 0, 0]
    assert roles_of([[W, W, W], [W]], skip_edges=True, positives=1) == [2, 2, 0, 0]


def test_a_sentence_without_words_is_no_neighbour_and_has_none():
    assert roles_of([[W, [], W, W]]) == [0, 0, 2, 1]
    assert roles_of([[[], W], [W, []]]) == [0, 0, 0, 0]


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    documents=documents_of,
    positives=st.sampled_from([1, 2]),
    skip_edges=st.booleans(),
    length=st.integers(1, 5),
)
def test_runs_cover_every_document_and_cross_no_border(documents, positives, skip_edges, length):
    problem = Problem(shared=True, batch=length, positives=positives, skip_edges=skip_edges)
    sentences, _, _, borders = corpus_of(documents)
    text = text_of(documents, problem)
    assert text.starts[0] == 0
    assert text.starts[-1] == len(sentences)
    assert set(borders.tolist()) <= set(text.starts.tolist())
    assert 0 < np.diff(text.starts).min() <= np.diff(text.starts).max() <= length
    for s, role in enumerate(text.roles):
        found = [s - 1] * bool(role & 1) + [s + 1] * bool(role & 2)
        assert found == reference.neighbours(sentences, borders, s, problem)


# --- negatives ----------------------------------------------------------------------------------


def negatives_of(documents, problem):
    """The sentences that were drawn, batch by batch."""
    for batch in batches_of(documents, problem):
        for example in batch.examples:
            yield batch, example, [batch.slots[k] for k in example.negatives]


@pytest.mark.parametrize("shared", [False, True])
def test_negatives_are_none_of_the_sentences_they_stand_against(shared):
    # A third of the corpus are copies of one sentence, which stands in every document.
    documents = [[[0, 1], [k], [k, k + 1]] for k in range(2, 42, 2)]
    problem = Problem(shared=shared, batch=4, negatives=20)
    wrong = total = 0
    for batch, example, negatives in negatives_of(documents, problem):
        near = [batch.slots[k] for k in (example.middle, *example.positives)]
        wrong += sum(words in near for words in negatives)
        total += len(negatives)
    assert total == 60 * 20
    assert wrong == 0
    assert_agree(documents, problem, V=start_matrices(50)[0])


def test_where_all_sentences_are_alike_drawing_ends():
    documents = [[[0, 1]] * 6]
    for shared in (False, True):
        assert assert_agree(documents, Problem(shared=shared, temperature=2.0)) == 6


def test_sentences_without_known_words_are_never_drawn():
    documents = [[[], [0], [1], []], [[]] * 30, [[2], [3]]]
    problem = Problem(negatives=5)
    drawn = [words for *_, negatives in negatives_of(documents, problem) for words in negatives]
    assert drawn
    assert all(drawn)
    assert_agree(documents, problem)


def test_negatives_are_drawn_from_the_whole_corpus_uniformly():
    documents = [[[k], [k + 40]] for k in range(40)]
    problem = Problem(negatives=50)
    counts = np.zeros(80)
    for *_, negatives in negatives_of(documents, problem):
        for (word,) in negatives:
            counts[word] += 1
    assert counts.sum() == 80 * 50
    assert counts.min() > 20
    assert counts.max() < 90


def test_what_is_drawn_depends_on_seed_epoch_and_number_alone():
    documents = [[[k % 9, (3 * k) % 9] for k in range(12)]]
    problem = Problem(batch=1, negatives=3)
    both, apart = start_matrices()[0], start_matrices()[0]
    run_kernel(documents, problem, both, np.zeros(9, np.float32), units=np.array([7, 2]))
    for number in (7, 2):
        run_kernel(documents, problem, apart, np.zeros(9, np.float32), units=np.array([number]))
    assert np.array_equal(both, apart)
