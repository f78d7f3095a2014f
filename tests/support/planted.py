"""Made-up features with a known relation to their labels, shared by the tests of the protocols."""

from __future__ import annotations

import numpy as np


def planted(n=300, dim=8, classes=2, noise=0.5, seed=0):
    """Features with a strong common direction and a falling spectrum, as sentence vectors have."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((n, dim)) * np.arange(1, dim + 1) ** -0.5 + 0.3
    directions = random.standard_normal((dim, classes))
    scores = (x - x.mean(0)) @ directions + noise * random.standard_normal((n, classes))
    return x.astype(np.float32), scores.argmax(axis=1)
