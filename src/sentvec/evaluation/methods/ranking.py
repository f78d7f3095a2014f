"""Image-sentence ranking: two linear maps to a joint space, learned with a ranking loss.

The loss (Skip-Thought paper, 4.3): a matching image x and caption y should score better than
mismatches by a margin, both ways round; a score is the cosine in the joint space.

    sum_x sum_k max(0, m - s(x, y) + s(x, y_k)) + sum_y sum_k max(0, m - s(y, x) + s(y, x_k))

Adam, batches of 100 captions, 50 contrastive items for each, up to 15 epochs; the maps with the
best sum of R@1, R@5 and R@10 both ways on the validation part are kept.

Data: features of N images and of 5 N captions, five for each image in the order of the images.

Differences from the released program: it does not normalise images in training, where the paper and
the test use the cosine; it draws contrastive items for each caption of a batch, which may include
the right one, where here 50 captions and 50 images are drawn for a batch and those that match are
left out (the same expectation, at a hundredth of the cost); the bias correction of its Adam has no
effect; and equal scores are ranked by position there, but by the middle of their ties here, so that
constant vectors do not look good.

Not here: image features, which the user provides.

    b batch, k contrastive items, e joint dimensions
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentvec.errors import DivergedError, SettingsError
from sentvec.evaluation.methods.design import blas_threads, dense_features
from sentvec.evaluation.methods.progress import Listen
from sentvec.machine import processors

Floats: TypeAlias = NDArray[np.float32]
Maps: TypeAlias = list[Floats]  # image map, its bias, caption map, its bias

CAPTIONS = 5  # of each image
_DECAY, _DECAY_SQUARES, _EPSILON = 0.9, 0.999, 1e-8


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """How the maps are learned.

    Attributes:
        dim: The number of dimensions of the joint space.
        margin: The margin of the loss.
        contrast: The number of contrastive items on each side.
        batch: The number of captions of a step.
        epochs: The maximal number of epochs.
        lr: The learning rate of Adam.
        validate_every: Steps between two validations; there is one at the end of an epoch too.
        seed: The seed of the first maps, of the order and of the contrastive items.
    """

    dim: int = 1000
    margin: float = 0.2
    contrast: int = 50
    batch: int = 100
    epochs: int = 15
    lr: float = 2e-4
    validate_every: int = 500
    seed: int = 1234


@dataclass(frozen=True, slots=True)
class Recall:
    """How well one side retrieves the other.

    Attributes:
        r1: The share of queries whose match is ranked first, 0 to 1.
        r5: The share whose match is among the first five.
        r10: The share whose match is among the first ten.
        median_rank: floor(median of the ranks from 0) + 1.
    """

    r1: float
    r5: float
    r10: float
    median_rank: float

    @property
    def total(self) -> float:
        """R@1 + R@5 + R@10."""
        return self.r1 + self.r5 + self.r10


@dataclass(frozen=True, slots=True)
class Ranking:
    """The result on the test part.

    Attributes:
        annotation: Images retrieve their captions; the best of the five counts.
        search: Captions retrieve their image.
        validation: The sum of the six recalls on the validation part.
        epoch: The epoch of the maps, from 1.
        protocol: The protocol in words.
    """

    annotation: Recall
    search: Recall
    validation: float
    epoch: int
    protocol: str


def rank_images(
    train: tuple[ArrayLike, ArrayLike],
    validation: tuple[ArrayLike, ArrayLike],
    test: tuple[ArrayLike, ArrayLike],
    settings: RankingSettings | None = None,
    *,
    threads: int | None = None,
    progress: Listen | None = None,
) -> Ranking:
    """Learn the maps on the train part, keep the best on the validation part, and test.

    Args:
        train: Features of N images and of 5 N captions.
        validation: The same of the validation part.
        test: The same of the test part.
        settings: How to learn; those of the paper if `None`.
        threads: For the linear algebra; all processors if `None`.
        progress: Called with the share that is done, 0 to 1.
    """
    chosen = settings or RankingSettings()
    _check_settings(chosen)
    parts = [_checked(*part) for part in (train, validation, test)]
    with blas_threads(threads or processors()):
        maps, best, epoch = _learn(parts[0], parts[1], chosen, progress)
        annotation, search = evaluate_maps(maps, *parts[2])
    return Ranking(
        annotation,
        search,
        best,
        epoch,
        f"linear maps to {chosen.dim} dimensions, two-way ranking loss (margin {chosen.margin:g}, "
        f"{chosen.contrast} contrastive items), Adam {chosen.lr:g}, batches of {chosen.batch}, "
        f"best of {chosen.epochs} epochs on validation, seed {chosen.seed}",
    )


def _learn(
    train: tuple[Floats, Floats],
    validation: tuple[Floats, Floats],
    settings: RankingSettings,
    progress: Listen | None,
) -> tuple[Maps, float, int]:
    """The best maps, their score on the validation part, and their epoch."""
    images, captions = train
    random = np.random.default_rng(settings.seed)
    maps = _first_maps(images.shape[1], captions.shape[1], settings.dim, random)
    adam = _Adam(maps, settings.lr)
    best, best_maps, best_epoch = -1.0, maps, 0
    n_steps = max(len(captions) // settings.batch, 1)
    for epoch in range(settings.epochs):
        order = random.permutation(len(captions))
        for step in range(n_steps):
            batch = order[step::n_steps]
            drawn = random.integers(len(captions), size=(2, settings.contrast))
            _, gradients = ranking_loss(maps, images, captions, batch, drawn, settings.margin)
            adam.step(maps, gradients)
            if (step + 1) % settings.validate_every == 0 or step + 1 == n_steps:
                score = sum(recall.total for recall in evaluate_maps(maps, *validation))
                if score > best:
                    best, best_maps, best_epoch = score, [one.copy() for one in maps], epoch + 1
                if progress is not None:
                    progress((epoch + (step + 1) / n_steps) / settings.epochs)
    return best_maps, best, best_epoch


def _first_maps(d_image: int, d_caption: int, dim: int, random: np.random.Generator) -> Maps:
    """Uniform within sqrt(2 / inputs), as released; biases zero."""
    maps = []
    for size in (d_image, d_caption):
        bound = np.sqrt(2 / size)
        maps.append(random.uniform(-bound, bound, (size, dim)).astype(np.float32))
        maps.append(np.zeros(dim, np.float32))
    return maps


def ranking_loss(
    maps: Maps,
    images: Floats,
    captions: Floats,
    batch: NDArray[np.int64],
    drawn: NDArray[np.int64],
    margin: float,
) -> tuple[float, Maps]:
    """The loss of a batch and its gradients.

    Args:
        maps: Image map, bias, caption map, bias.
        images: Features of all images.
        captions: Features of all captions.
        batch: Numbers of the captions of the batch, (b,).
        drawn: Numbers of captions, (2, k): the contrastive captions, and the captions whose images
            are the contrastive images.
        margin: Of the loss.
    """
    owner, rivals = batch // CAPTIONS, drawn // CAPTIONS
    x = _Mapped(images[np.concatenate([owner, rivals[1]])], *maps[:2])
    y = _Mapped(captions[np.concatenate([batch, drawn[0]])], *maps[2:])
    b = len(batch)
    matching = np.einsum("ij,ij->i", x.unit[:b], y.unit[:b])[:, None]
    costs = []
    for one, other, rival in ((x, y, rivals[0]), (y, x, rivals[1])):
        cost = margin - matching + one.unit[:b] @ other.unit[b:].T  # (b, k)
        costs.append(np.where((cost > 0) & (owner[:, None] != rival), cost, 0))
    active = [(cost > 0).astype(x.unit.dtype) for cost in costs]
    pull = sum(part.sum(axis=1) for part in active)[:, None]
    d_x, d_y = np.zeros_like(x.unit), np.zeros_like(y.unit)
    d_x[:b] = active[0] @ y.unit[b:] - pull * y.unit[:b]
    d_y[:b] = active[1] @ x.unit[b:] - pull * x.unit[:b]
    d_y[b:] = active[0].T @ x.unit[:b]
    d_x[b:] = active[1].T @ y.unit[:b]
    loss = float(sum(cost.sum(dtype=np.float64) for cost in costs))
    return loss, [*x.gradients(d_x), *y.gradients(d_y)]


class _Mapped:
    """Features mapped to the joint space and normalised to length 1."""

    def __init__(self, features: Floats, weights: Floats, bias: Floats) -> None:
        self.features = features
        mapped = features @ weights + bias
        self.length = np.maximum(np.linalg.norm(mapped, axis=1, keepdims=True), 1e-12)
        self.unit: Floats = mapped / self.length

    def gradients(self, d_unit: Floats) -> Maps:
        """Gradients of the map and of the bias from those of the unit vectors."""
        along = np.einsum("ij,ij->i", d_unit, self.unit)[:, None]
        d_mapped = (d_unit - along * self.unit) / self.length
        return [self.features.T @ d_mapped, d_mapped.sum(axis=0)]


class _Adam:
    """Adam (Kingma and Ba 2015) on a list of arrays, in place."""

    def __init__(self, arrays: Maps, lr: float) -> None:
        self._lr, self._count = lr, 0
        self._means = [np.zeros_like(array) for array in arrays]
        self._squares = [np.zeros_like(array) for array in arrays]

    def step(self, arrays: Maps, gradients: Maps) -> None:
        self._count += 1
        correction = np.sqrt(1 - _DECAY_SQUARES**self._count) / (1 - _DECAY**self._count)
        for array, gradient, mean, square in zip(
            arrays, gradients, self._means, self._squares, strict=True
        ):
            mean += (1 - _DECAY) * (gradient - mean)
            square += (1 - _DECAY_SQUARES) * (gradient * gradient - square)
            array -= self._lr * correction * mean / (np.sqrt(square) + _EPSILON)


def evaluate_maps(maps: Maps, images: Floats, captions: Floats) -> tuple[Recall, Recall]:
    """Recall of captions for images (annotation), and of images for captions (search)."""
    return recalls(_Mapped(images, *maps[:2]).unit, _Mapped(captions, *maps[2:]).unit)


def recalls(images: ArrayLike, captions: ArrayLike) -> tuple[Recall, Recall]:
    """Annotation and search, from the inner products of (N, e) images and (5 N, e) captions."""
    scores = np.asarray(images) @ np.asarray(captions).T  # (N, 5 N)
    if not np.isfinite(scores).all():
        msg = "the joint space contains NaN or infinity - expected finite numbers; lower lr, or "
        raise DivergedError(msg + "scale the features")
    owner = np.arange(scores.shape[1]) // CAPTIONS
    own = scores[owner, np.arange(scores.shape[1])].reshape(-1, CAPTIONS)
    annotation = _ranks(scores, own.max(axis=1))
    # The other captions of an image do not compete with its best one.
    annotation -= ((own == own.max(axis=1, keepdims=True)).sum(axis=1) - 1) / 2
    return _recall(annotation), _recall(_ranks(scores.T, own.ravel()))


def _ranks(scores: Floats, own: Floats) -> NDArray[np.float64]:
    """The rank of each query's match, from 0; ties get their middle rank."""
    better = (scores > own[:, None]).sum(axis=1)
    equal = (scores == own[:, None]).sum(axis=1) - 1
    ranks: NDArray[np.float64] = better + equal / 2
    return ranks


def _recall(ranks: NDArray[np.float64]) -> Recall:
    r1, r5, r10 = (float((ranks < limit).mean()) for limit in (1, 5, 10))
    return Recall(r1, r5, r10, float(np.floor(np.median(ranks)) + 1))


def _checked(images: ArrayLike, captions: ArrayLike) -> tuple[Floats, Floats]:
    x, y = dense_features(images), dense_features(captions)
    if len(y) != CAPTIONS * len(x) or not len(x):
        msg = (
            f"got {len(y):,} captions for {len(x):,} images - expected {CAPTIONS} for each image, "
        )
        raise SettingsError(msg + "in the order of the images")
    return x.astype(np.float32), y.astype(np.float32)


def _check_settings(settings: RankingSettings) -> None:
    counts = {name: getattr(settings, name) for name in ("dim", "contrast", "batch", "epochs")}
    counts["validate_every"] = settings.validate_every
    for name, value in counts.items():
        if value < 1:
            msg = f"{name} is {value} - expected 1 or more"
            raise SettingsError(msg)
    if not (settings.lr > 0 and settings.margin > 0):
        msg = f"lr is {settings.lr} and margin {settings.margin} - expected positive numbers"
        raise SettingsError(msg)
