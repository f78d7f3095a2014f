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
        predicted: Words that were predicted, in all passes.
        skipped: Lines that could not be trained on: `blank`, `no_known_word`, `one_known_word`.
        unknown: Words that are not in the vocabulary, one by one: `below_min_count`,
            `above_max_vocab`, `too_many_to_count` (distinct words), `other`.
        bytes: Bytes of text that were read, after decompression.
        file_bytes: What the files hold; other than `bytes` where one changed while it was read.
            None where an earlier version did the reading.
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

    @classmethod
    def of(cls, stats: CorpusStats, epochs: int, predicted: int) -> Summary:
        """The summary of so many passes over a corpus."""
        sentences = stats.sentences - stats.empty_sentences - stats.single_sentences
        words = stats.known_tokens - stats.single_sentences
        reasons = {
            "below_min_count": stats.rare_tokens,
            "above_max_vocab": stats.surplus_tokens,
            "too_many_to_count": stats.pruned_tokens,
        }
        unknown = stats.tokens - stats.known_tokens
        return cls(
            epochs=epochs,
            sentences=sentences,
            words=words,
            all_sentences=epochs * sentences,
            all_words=epochs * words,
            predicted=predicted,
            skipped={
                "blank": stats.lines - stats.sentences,
                "no_known_word": stats.empty_sentences,
                "one_known_word": stats.single_sentences,
            },
            unknown={**reasons, "other": unknown - sum(reasons.values())},
            bytes=stats.bytes,
            file_bytes=stats.file_bytes,
        )
