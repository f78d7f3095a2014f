"""Image-sentence ranking: the metrics by hand, the gradient by differences, planted pairs."""

from __future__ import annotations

import numpy as np
import pytest

from sentvec.errors import SettingsError
from sentvec.evaluation.methods.ranking import (
    RankingSettings,
    _first_maps,
    rank_images,
    ranking_loss,
    recalls,
)

QUICK = RankingSettings(dim=8, epochs=6, lr=0.01, contrast=20, batch=50)


def image_world(n, seed, noise=0.1):
    """Images and five captions each, both linear views of what the image shows."""
    views = np.random.default_rng(77).standard_normal((2, 8, 20))
    random = np.random.default_rng(seed)
    shown = random.standard_normal((n, 8))
    images = shown @ views[0] + noise * random.standard_normal((n, 20))
    captions = np.repeat(shown, 5, axis=0) @ views[1] + noise * random.standard_normal((5 * n, 20))
    return images, captions


def slow_ranks(images, captions):
    """By sorting, as a person would: ranks from 0, best caption of five, and of each image."""
    scores = images @ captions.T
    annotation = []
    for index, row in enumerate(scores):
        order = np.argsort(-row)
        annotation.append(min(np.flatnonzero(order // 5 == index)))
    search = [
        int(np.flatnonzero(np.argsort(-column) == number // 5)[0])
        for number, column in enumerate(scores.T)
    ]
    return np.array(annotation), np.array(search)


def test_recalls_are_those_of_sorted_scores():
    random = np.random.default_rng(0)
    images, captions = random.standard_normal((40, 6)), random.standard_normal((200, 6))
    captions[: 5 * 20] += np.repeat(images[:20], 5, axis=0)
    for found, ranks in zip(recalls(images, captions), slow_ranks(images, captions), strict=True):
        assert found.r1 == pytest.approx(np.mean(ranks < 1))
        assert found.r5 == pytest.approx(np.mean(ranks < 5))
        assert found.r10 == pytest.approx(np.mean(ranks < 10))
        assert found.median_rank == np.floor(np.median(ranks)) + 1
        assert found.total == pytest.approx(found.r1 + found.r5 + found.r10)


def test_perfect_vectors_find_everything_and_constant_ones_nothing():
    eye = np.eye(30)
    for found in recalls(eye, np.repeat(eye, 5, axis=0)):
        assert (found.r1, found.r5, found.r10, found.median_rank) == (1, 1, 1, 1)
    annotation, search = recalls(np.ones((30, 4)), np.ones((150, 4)))
    assert annotation.r10 == search.r10 == 0
    assert search.median_rank == 15  # the middle of 30
    assert annotation.median_rank == 73  # the middle of the 145 captions of others


def test_the_gradient_is_that_of_finite_differences():
    images, captions = (part.astype(np.float64) for part in image_world(12, 0))
    random = np.random.default_rng(1)
    maps = [one.astype(np.float64) for one in _first_maps(20, 20, 5, random)]
    maps[1] += 0.1 * random.standard_normal(5)
    batch, drawn = np.array([0, 7, 33, 59]), random.integers(60, size=(2, 9))
    loss, gradients = ranking_loss(maps, images, captions, batch, drawn, 0.2)
    assert loss > 0
    for array, gradient in zip(maps, gradients, strict=True):
        for place in random.integers(array.size, size=6):
            before = array.flat[place]
            values = []
            for shift in (1e-6, -1e-6):
                array.flat[place] = before + shift
                values.append(ranking_loss(maps, images, captions, batch, drawn, 0.2)[0])
            array.flat[place] = before
            slope = (values[0] - values[1]) / 2e-6
            assert gradient.flat[place] == pytest.approx(slope, rel=1e-4, abs=1e-6)


def test_the_loss_is_the_sum_of_the_papers_formula_over_mismatches():
    images, captions = (part.astype(np.float64) for part in image_world(12, 0))
    maps = [one.astype(np.float64) for one in _first_maps(20, 20, 5, np.random.default_rng(1))]
    x, y = images @ maps[0] + maps[1], captions @ maps[2] + maps[3]

    def score(image, caption):
        a, b = x[image], y[caption]
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    batch, drawn = [3, 40], [[0, 3, 4, 41, 20], [10, 1, 43, 55, 59]]
    expected = 0.0
    for caption in batch:
        image = caption // 5
        for rival in drawn[0]:
            if rival // 5 != image:
                expected += max(0, 0.2 - score(image, caption) + score(image, rival))
        for rival in drawn[1]:
            if rival // 5 != image:
                expected += max(0, 0.2 - score(image, caption) + score(rival // 5, caption))
    loss, _ = ranking_loss(maps, images, captions, np.array(batch), np.array(drawn), 0.2)
    assert loss == pytest.approx(expected)


def test_a_planted_joint_space_is_found():
    parts = [image_world(size, seed) for seed, size in enumerate((200, 40, 40))]
    shares = []
    found = rank_images(*parts, QUICK, threads=1, progress=shares.append)
    assert found.annotation.r1 > 0.8
    assert found.search.r5 > 0.9
    assert found.search.median_rank == 1
    assert 1 <= found.epoch <= 6
    assert shares[-1] == pytest.approx(1.0)
    again = rank_images(*parts, QUICK, threads=1)
    assert found == again
    assert found != rank_images(*parts, RankingSettings(**{**vars_of(QUICK), "seed": 1}), threads=1)


def vars_of(settings):
    return {name: getattr(settings, name) for name in type(settings).__slots__}


def test_unrelated_images_are_found_by_chance_only():
    parts = []
    for seed in range(3):
        images, captions = image_world(60, seed)
        parts.append((np.random.default_rng(seed + 50).standard_normal(images.shape), captions))
    found = rank_images(*parts, QUICK)
    assert found.search.r1 < 0.15
    assert found.search.median_rank > 10


def test_the_best_maps_on_validation_are_kept():
    parts = [image_world(60, seed) for seed in range(3)]
    long = rank_images(*parts, QUICK)
    short = rank_images(*parts, RankingSettings(**{**vars_of(QUICK), "epochs": long.epoch}))
    assert (long.validation, long.search) == (short.validation, short.search)


def test_what_does_not_fit_is_refused():
    images, captions = image_world(4, 0)
    with pytest.raises(SettingsError, match="19 captions for 4 images - expected 5 for each"):
        rank_images((images, captions[:-1]), (images, captions), (images, captions))
    for name, value in (("dim", 0), ("lr", -1.0), ("margin", 0.0), ("contrast", 0)):
        with pytest.raises(SettingsError, match=name):
            rank_images(
                *[(images, captions)] * 3, RankingSettings(**{**vars_of(QUICK), name: value})
            )
