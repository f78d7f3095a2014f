"""A corpus as Skip-Thought goes through it: sentences with the previous and the next one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sentvec.errors import CorpusError
from sentvec.models.skip_thought.settings import SkipThoughtSettings
from sentvec.text.encoded import EncodedCorpus
from sentvec.text.vocabulary import Vocabulary
from sentvec.training.batches import Position, Schedule
from sentvec.training.summary import Trained
from sentvec.training.triples import TripleBatches, Triples


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The triples of a corpus, and what goes with them.

    Attributes:
        triples: Sentences that have a previous and a next one.
        vocabulary: The words.
        words: Words of an epoch: those of the sentences in the middle.
        trained: What an epoch takes from the corpus.
    """

    triples: Triples
    vocabulary: Vocabulary
    words: int
    trained: Trained

    @classmethod
    def of(
        cls, corpus: EncodedCorpus, settings: SkipThoughtSettings, name: str = "the corpus"
    ) -> Neighbours:
        """Find the triples of a text, which errors call by a name.

        Raises:
            CorpusError: There are none.
        """
        triples = triples_of(corpus, settings, name)
        words, middles = int(triples.lengths.sum()), len(triples.middles)
        edges = corpus.stats.sentences - middles - triples.too_long
        skipped = {"edge": edges, "too_long": triples.too_long}
        return cls(triples, corpus.vocabulary, words, Trained(middles, words, skipped))

    def batches(
        self, schedule: Schedule, untrained_loss: float = math.inf, start: Position | None = None
    ) -> TripleBatches:
        """What a worker takes its batches from."""
        return self.triples.batches(schedule, untrained_loss, start)


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
        f"no sentence is between two others: {has} - expected documents of three sentences and "
        "more, one a line, blank lines only between documents"
    )
    raise CorpusError(msg)
