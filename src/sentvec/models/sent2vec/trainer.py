"""How Sent2Vec trains on a batch: the tables a run draws from, and the workers of the threads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import CorpusError
from sentvec.machine import processors
from sentvec.models.sent2vec.settings import Sent2VecSettings
from sentvec.text.encoded import EncodedCorpus
from sentvec.text.vocabulary import Vocabulary
from sentvec.training import memory
from sentvec.training.subsampling import kept_share

Floats = NDArray[np.float32]

# Without a number of buckets: half a bucket per known token of the corpus, within these bounds. A
# text of n tokens has fewer than n distinct bigrams; the released program's default is the upper.
MIN_BUCKETS, MAX_BUCKETS = 10_000, 2_000_000
MIN_WORDS = 2  # of a vocabulary
# Of the words drawn as negatives, so many are not the commonest at least. Counts of text are far
# from it: of two words, one would have to be seen a hundred million times as often as the other.
MIN_OTHERS = 1e-4
# Of a worker, for each feature of the longest sentence: 18 rows of integers, four slots, the rest.
SCRATCH_BYTES = 18 * 8 + 4 * 8 + 20


def resolved(settings: Sent2VecSettings, corpus: EncodedCorpus) -> Sent2VecSettings:
    """The settings with what depends on the corpus and the machine filled in."""
    buckets = buckets_for(settings, len(corpus.ids)) or None
    return settings.with_values(buckets=buckets, threads=settings.threads or processors())


def buckets_for(settings: Sent2VecSettings, tokens: int) -> int:
    """The number of n-gram buckets of a run on a corpus of so many known tokens."""
    if settings.ngrams == 1:
        return 0
    return settings.buckets or min(max(tokens // 2, MIN_BUCKETS), MAX_BUCKETS)


def memory_of(
    settings: Sent2VecSettings, n_words: int, buckets: int, longest: int = 0
) -> memory.MemoryEstimate:
    """What a run will need, its longest sentence having so many known words."""
    rows = n_words + buckets + (settings.variant == "released")
    threads = settings.threads or processors()
    copies = 1 + threads if settings.deterministic and threads > 1 else 1
    matrix_bytes = (rows + n_words) * settings.dim * np.dtype(settings.dtype).itemsize
    return memory.estimate(
        copies * matrix_bytes, n_words, scratch=threads * longest * settings.ngrams * SCRATCH_BYTES
    )


def check_least_memory(settings: Sent2VecSettings, known_words: int = 0) -> None:
    """Check what the settings alone ask for, before an hour is spent on counting words.

    Args:
        settings: Of the run.
        known_words: The size of the vocabulary it starts from, if any.

    Raises:
        NotEnoughMemoryError: The run cannot go well, however small its corpus.
    """
    fewest = buckets_for(settings, tokens=0)
    memory_of(settings, max(known_words, MIN_WORDS), fewest).check(at_least=True)


def keep_probabilities(counts: NDArray[np.int64], settings: Sent2VecSettings) -> Floats:
    """q_p of each word: the probability that it is predicted where it stands (paper, section 2.1).

    min(1, sqrt(t / f) + t / f), f being the word's share of the known tokens; 1 where t is 0, and
    -1 for words seen less than `min_target_count` times.

    Raises:
        CorpusError: No word is left to predict.
    """
    keep = kept_share(counts, settings.subsample)
    keep = np.where(counts >= settings.min_target_count, keep, -1.0)
    if keep.max() < 0:
        msg = (
            f"no word is seen min_target_count={settings.min_target_count} times: the commonest is "
            f"seen {counts.max()} times - lower min_target_count"
        )
        raise CorpusError(msg)
    return keep.astype(np.float32)


def check_negatives(vocabulary: Vocabulary) -> None:
    """Check that there is something to draw against the commonest word: it is drawn until it comes.

    Raises:
        CorpusError: Nearly every word drawn would be the commonest itself.
    """
    weights = np.sqrt(vocabulary.counts.astype(np.float64))
    commonest = int(weights.argmax())
    others = (weights.sum() - weights[commonest]) / weights.sum()
    if others < MIN_OTHERS:
        msg = (
            f"every negative would be the target: {vocabulary.words[commonest]!r} is seen "
            f"{vocabulary.counts[commonest]:,} times and drawn {1 - others:.4%} of the time - "
            "expected other words that are common too; lower min_count or use more text"
        )
        raise CorpusError(msg)
