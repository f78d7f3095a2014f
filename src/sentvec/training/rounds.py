"""Several threads, one answer: workers with matrices of their own, merged after every round.

Batches are dealt to the workers in turn, each trains on its own copy, and after a round every row
takes on the changes of all workers: their sum as far as they are independent, their mean as far as
they agree (`kernels.merge`). The result depends on the seed and the number of workers only. It
costs a copy of the matrices per worker, and a pass over all of them a round.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sentvec.training.matrices import Matrix

_BLOCK = 1 << 14
# A round of N words per worker and matrix row keeps merging to a small part of the time.
WORDS_PER_ROW = 1.5
MIN_ROUNDS = 100  # of a run, however small its corpus


@dataclass
class Rounds:
    """The workers' copies of the matrices of a run.

    Args:
        bases: The matrices of the run, float32.
        workers: The number of workers.
        total: Words of all epochs.
    """

    bases: list[Matrix]
    workers: int
    total: int
    copies: list[NDArray[np.float32]] = field(init=False)

    def __post_init__(self) -> None:
        self.copies = [np.stack([base] * self.workers) for base in self.bases]

    @property
    def words(self) -> int:
        """Words a worker trains on in a round."""
        return min(
            int(WORDS_PER_ROW * len(self.bases[0])), self.total // MIN_ROUNDS // self.workers
        )

    def merge(self) -> None:
        """Merge the copies into the bases, and make them equal again."""
        from sentvec.kernels.merge import merge_rows

        with ThreadPoolExecutor(self.workers) as pool:
            for base, copies in zip(self.bases, self.copies, strict=True):
                blocks = range(0, len(base), _BLOCK)
                list(
                    pool.map(
                        lambda start, base=base, copies=copies: merge_rows(
                            base, copies, start, min(start + _BLOCK, len(base))
                        ),
                        blocks,
                    )
                )
