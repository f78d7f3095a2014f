"""What a run was trained on and what it was not, for people who wonder where their text went."""

from __future__ import annotations

from dataclasses import dataclass

from sentvec.text.encoded import CorpusStats


@dataclass(frozen=True, slots=True)
class Summary:
    """The totals of a run.

    Attributes:
        epochs: Passes over the corpus; fewer than asked for where held-out text ended the run.
        sentences: Sentences trained on in each.
        words: Their known words.
        all_sentences: Sentences trained on in all passes.
        all_words: Words in all passes.
        predicted: What was predicted, in all passes: words, or the neighbours of sentences.
        skipped: Lines that could not be trained on: `blank`, and as the model has it
            `no_known_word`, `one_known_word`, `no_neighbour`, `edge`, `too_long`.
        unknown: Words that are not in the vocabulary, one by one: `below_min_count`,
            `above_max_vocab`, `too_many_to_count` (distinct words), `other`.
        bytes: Bytes of text that were read, after decompression.
        file_bytes: What the files hold; other than `bytes` where one changed while it was read.
            None where an earlier version did the reading.
        unit: What was predicted: `words` or `neighbourhoods`.
    """

    epochs: int
    sentences: int
    words: int
    all_sentences: int
    all_words: int
    predicted: int
    skipped: dict[str, int]
    unknown: dict[str, int]
    bytes: int
    file_bytes: int | None
    unit: str = "words"

    @classmethod
    def of(cls, stats: CorpusStats, epochs: int, predicted: int, trained: Trained) -> Summary:
        """The summary of N passes over a corpus."""
        reasons = {
            "below_min_count": stats.rare_tokens,
            "above_max_vocab": stats.surplus_tokens,
            "too_many_to_count": stats.pruned_tokens,
        }
        unknown = stats.tokens - stats.known_tokens
        return cls(
            epochs=epochs,
            sentences=trained.sentences,
            words=trained.words,
            all_sentences=epochs * trained.sentences,
            all_words=epochs * trained.words,
            predicted=predicted,
            skipped={"blank": stats.lines - stats.sentences, **trained.skipped},
            unknown={**reasons, "other": unknown - sum(reasons.values())},
            bytes=stats.bytes,
            file_bytes=stats.file_bytes,
            unit=trained.unit,
        )


@dataclass(frozen=True, slots=True)
class Trained:
    """What a model takes from a corpus in one pass. Fields as those of `Summary`."""

    sentences: int
    words: int
    skipped: dict[str, int]
    unit: str = "words"

    @classmethod
    def on_words(cls, stats: CorpusStats) -> Trained:
        """For a model that predicts the words of a sentence from its others."""
        single = stats.single_sentences  # whose only word cannot be predicted
        return cls(
            stats.sentences - stats.empty_sentences - single,
            stats.known_tokens - single,
            {"no_known_word": stats.empty_sentences, "one_known_word": single},
        )

    @classmethod
    def on_neighbours(cls, stats: CorpusStats, alone: int) -> Trained:
        """For a model that tells the neighbours of sentences from others.

        `alone` are the sentences with known words that have no neighbour; they are seen as others.
        """
        return cls(
            stats.sentences - stats.empty_sentences,
            stats.known_tokens,
            {"no_known_word": stats.empty_sentences, "no_neighbour": alone},
            "neighbourhoods",
        )
