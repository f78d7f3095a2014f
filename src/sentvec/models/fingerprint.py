"""What tells one model from another in a report, without reading all of it.

Not here: the fingerprints of corpora (`training`).
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from sentvec.models.encoder import SentenceEncoder

_SAMPLED_ROWS = 1000  # of the matrix


def fingerprint(model: SentenceEncoder) -> str:
    """BLAKE2b (16 bytes, hexadecimal) over the vocabulary with its counts and a sample of rows.

    The sample is a thousand rows in equal steps from first to last, as float32.
    """
    total = blake2b(digest_size=16)
    for word in model.vocabulary:
        total.update(word.encode("utf-8", "surrogateescape") + b"\n")
    total.update(np.ascontiguousarray(model.vocabulary.counts, "<i8").tobytes())
    n_rows = model.rows.shape[0]
    rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _SAMPLED_ROWS)).astype(np.int64))
    total.update(model.rows.take(rows).astype("<f4").tobytes())
    return total.hexdigest()
