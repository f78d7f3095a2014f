"""How Skip-Thought trains: its shape and its memory, and the worker that takes the batches.

The network is in `networks`, the batches in `training.triples`, the loop in `training.loop`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import CorpusError
from sentvec.machine import processors
from sentvec.models.skip_thought.settings import SkipThoughtSettings
from sentvec.networks.shape import DECODERS, FIRST_WORD, UNKNOWN, Shape
from sentvec.text.corpus_files import Ids
from sentvec.text.encoded import EncodedCorpus
from sentvec.training import memory
from sentvec.training.batches import Batch, Schedule
from sentvec.training.triples import Triples

if TYPE_CHECKING:
    from sentvec.networks.skip_thought import Passages

_LATE = 0.98  # of the losses of late a batch before counts so much less
# Measured as the peak of anonymous memory of runs on sentences of max_tokens words.
_TORCH_BYTES = 150 << 20  # its libraries, over what every run has
_LOGITS = 1 << 24  # numbers of a block of the output layer, which has three such at once
_COMPILED_BYTES = 250 << 20  # products in low precision: compiled for each shape, and kept
_ADVICE = "lower batch, dim, word_dim, max_vocab or max_tokens"


def resolved(settings: SkipThoughtSettings) -> SkipThoughtSettings:
    """The settings with what depends on the machine filled in."""
    from sentvec.networks.learner import device_named

    return settings.with_values(
        threads=settings.threads or processors(), device=device_named(settings.device)
    )


def shape_of(settings: SkipThoughtSettings, n_words: int) -> Shape:
    """The network for a vocabulary of so many words."""
    words = n_words + FIRST_WORD
    return Shape(
        words, settings.word_dim, settings.dim, settings.encoder == "bi", settings.gru,
        settings.decoder == "paper", settings.cutoffs(words),
    )  # fmt: skip


def count_parameters(settings: SkipThoughtSettings, n_words: int) -> int:
    """All numbers of the network for a vocabulary of so many words."""
    return sum(math.prod(size) for size in shape_of(settings, n_words).tensors().values())


def memory_of(settings: SkipThoughtSettings, n_words: int) -> memory.MemoryEstimate:
    """What a run will need: parameters with gradients and moments, and a batch of long sentences.

    On a GPU that is mostly its memory, which is asked for there; the estimate is the same.
    """
    shape = shape_of(settings, n_words)
    sizes = {name: math.prod(size) for name, size in shape.tensors().items()}
    rows = max(size[0] for name, size in shape.tensors().items() if "output.weight" in name)
    output = sum(size for name, size in sizes.items() if name.startswith("output."))
    # Parameters and moments stay. The gradients of the output are there from the first decoder's
    # loss on, and three times for a moment; the others come as the batch goes.
    copies = 3 * sum(sizes.values()) + max(3 * output, sum(sizes.values()))
    tokens = settings.batch * (settings.max_tokens + 1)
    # Of a token: word vectors, gates and states of three networks, and their gradients in one.
    numbers = 6 * shape.word_dim + (30 + 6 * shape.conditioned) * shape.dim
    scratch = 4 * tokens * numbers + 3 * 4 * min(_LOGITS, tokens * rows) + _TORCH_BYTES
    if settings.precision != "float32":  # copies of what is multiplied
        scratch += 4 * tokens * 10 * shape.dim + 2 * min(_LOGITS, tokens * rows) + _COMPILED_BYTES
    return memory.estimate(4 * copies, n_words, scratch=scratch, advice=_ADVICE)


def triples_of(
    corpus: EncodedCorpus, settings: SkipThoughtSettings, name: str = "the corpus"
) -> Triples:
    """The triples of a text, which errors call by a name.

    Raises:
        CorpusError: There are none.
    """
    triples = Triples.of(corpus, settings.batch, settings.max_tokens)
    if len(triples.middles):
        return triples
    stats = corpus.stats
    has = f"{name} has {stats.sentences:,} sentences in {stats.documents:,} documents"
    if triples.too_long:
        msg = (
            f"no three sentences in a row have at most max_tokens={settings.max_tokens} words each "
            f"({has}) - raise max_tokens, or split the text into sentences"
        )
        raise CorpusError(msg)
    msg = (
        f"no sentence stands between two others: {has} - expected documents of three sentences and "
        "more, one a line, blank lines only between documents"
    )
    raise CorpusError(msg)


class Worker:
    """Trains a network on batches of triples, and measures it on held-out text.

    Args:
        triples: Those of the corpus.
        settings: Of the run, resolved.
        n_words: Of the vocabulary.
        schedule: Of the run.
    """

    def __init__(
        self, triples: Triples, settings: SkipThoughtSettings, n_words: int, schedule: Schedule
    ) -> None:
        from sentvec.networks.learner import Learner

        self._triples, self._settings, self._n_words = triples, settings, n_words
        self._schedule, self._total = schedule, float(triples.lengths.sum() * schedule.epochs)
        self.learner = Learner(
            shape_of(settings, n_words), seed=settings.seed, clip=settings.clip,
            device=settings.device, precision=settings.precision,
        )  # fmt: skip
        self._late = np.zeros((2, 2))  # sums of losses, and of words, of late

    def __call__(self, batch: Batch) -> tuple[float, int]:
        """Train on a batch; returns (sum of losses, number of words predicted)."""
        if not len(batch.sentences):
            return 0.0, 0
        sums, words = self._run(self.learner.step, self._triples, batch,
                                self._schedule.rate(batch.done / self._total))  # fmt: skip
        self._late = _LATE * self._late + (sums, words)
        return float(sums.sum()), int(words.sum())

    def parts(self) -> dict[str, float]:
        """The loss of a word of the sentence before and of the one after, of late."""
        return self._by_direction(self._late) if self._late[1].all() else {}

    def evaluate(self, corpus: EncodedCorpus) -> tuple[float, dict[str, float]]:
        """The loss of a word on another text, with the same ids, and by direction."""
        triples = triples_of(corpus, self._settings)
        totals = np.zeros((2, 2))
        for batch in triples.batches(Schedule(1, 1.0, False, 0, 1)):
            totals += self._run(self.learner.loss, triples, batch)
        return float(totals[0].sum() / totals[1].sum()), self._by_direction(totals)

    def _by_direction(self, totals: NDArray[np.float64]) -> dict[str, float]:
        return dict(zip(DECODERS, (totals[0] / totals[1]).tolist(), strict=True))

    def _run(
        self, action: Any, triples: Triples, batch: Batch, *arguments: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Do something with a batch; returns sums of losses and words predicted, by direction."""
        passages = self._neighbours(triples, batch)
        sums = action(passages, *arguments)
        words = [s.lengths.sum() + len(s.lengths) for s in (passages.previous, passages.following)]
        return sums, np.array(words, float)

    def _neighbours(self, triples: Triples, batch: Batch) -> Passages:
        """The sentences of a batch with those before and after them."""
        from sentvec.networks.skip_thought import Passages, Sentences

        return Passages(
            *(
                Sentences(rows_of_ids(ids, self._n_words), lengths)
                for ids, lengths in (
                    (batch.ids, np.diff(batch.offsets)),
                    triples.words(batch.sentences - 1),
                    triples.words(batch.sentences + 1),
                )
            )
        )


def rows_of_ids(ids: Ids, n_words: int) -> NDArray[np.int64]:
    """The rows of the word vectors for ids of an encoded corpus, where n_words is the unknown."""
    rows = ids.astype(np.int64) + FIRST_WORD
    rows[ids == n_words] = UNKNOWN
    return rows
