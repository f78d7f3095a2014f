"""A corpus as Siamese CBOW goes through it: which sentences have neighbours.

What a batch is made of is in `kernels.siamese_cbow.slots`, which sentences are neighbours in
`kernels.siamese_cbow.pairing`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentvec.errors import CorpusError
from sentvec.models.siamese_cbow.settings import SiameseCBOWSettings
from sentvec.text.encoded import EncodedCorpus
from sentvec.text.vocabulary import Vocabulary
from sentvec.training.batches import Batches, Position, Schedule, Units
from sentvec.training.summary import Trained


@dataclass(frozen=True, slots=True)
class Pairs:
    """The source of the batches of an epoch: its units, and which sentences have neighbours.

    Attributes:
        text: The corpus as the kernel takes it.
        units: Runs of sentences with shared negatives, sentences without.
        examples: Sentences that have a neighbour to predict.
        longest: Words of the longest sentence, as far as they are trained on.
        vocabulary: The words.
        sentences: How many sentences the corpus has.
        trained: What an epoch takes from the corpus.
    """

    text: Any
    units: Units
    examples: int
    longest: int
    vocabulary: Vocabulary
    sentences: int
    trained: Trained

    @property
    def words(self) -> int:
        """Words of an epoch."""
        return len(self.units.ids)

    def batches(
        self, schedule: Schedule, untrained_loss: float = math.inf, start: Position | None = None
    ) -> Batches:
        """What the workers take their batches from."""
        return self.units.batches(schedule, untrained_loss, start)

    @classmethod
    def of(
        cls, corpus: EncodedCorpus, settings: SiameseCBOWSettings, name: str = "the corpus"
    ) -> Pairs:
        """Find the neighbours of all sentences of a text, which errors call by a name.

        Raises:
            CorpusError: There are none.
        """
        from sentvec.kernels.siamese_cbow import pairing, slots

        offsets, documents = corpus.offsets, corpus.documents
        roles = np.zeros(len(offsets) - 1, np.uint8)
        examples = pairing.fill_roles(
            offsets, documents, settings.positives, settings.edges == "skip", roles
        )
        if not examples:
            raise CorpusError(_no_neighbours(corpus, settings, name))
        if settings.shared_negatives:
            starts = np.empty(pairing.count_runs(documents, settings.batch) + 1, np.int64)
            pairing.fill_starts(documents, settings.batch, starts)
            units = Units(corpus.ids, offsets[starts])
        else:
            starts = np.empty(0, np.int64)
            units = Units(corpus.ids, offsets, settings.batch, roles)
        longest, stats = corpus.longest_sentence(), corpus.stats
        alone = stats.sentences - stats.empty_sentences - int(examples)
        return cls(
            text=slots.Text(corpus.ids, offsets, roles, starts),
            units=units,
            examples=int(examples),
            longest=min(longest, settings.max_tokens or longest),
            vocabulary=corpus.vocabulary,
            sentences=len(offsets) - 1,
            trained=Trained.on_neighbours(stats, alone),
        )


def _no_neighbours(corpus: EncodedCorpus, settings: SiameseCBOWSettings, name: str) -> str:
    stats = corpus.stats
    has = f"{name} has {stats.sentences:,} sentences in {stats.documents:,} documents"
    if settings.edges == "skip" and settings.positives == 2:
        return (
            f"no sentence has two neighbours: {has} - expected documents of three sentences and "
            "more, one a line, blank lines only between documents; or edges='use'"
        )
    return (
        f"no sentence has a neighbour: {has} - expected documents of two sentences and more, one a "
        "line, blank lines only between documents"
    )
