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
        skipped: Lines that could not be trained on: `blank`, `no_known_word`, and `one_known_word`
            or `no_neighbour`.
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
    def of(
        cls, stats: CorpusStats, epochs: int, predicted: int, alone: int | None = None
    ) -> Summary:
        """The summary of so many passes over a corpus.

        Args:
            stats: Of the corpus.
            epochs: The passes.
            predicted: What was predicted in all.
            alone: Where the neighbours of sentences are predicted, how many sentences with known
                words have none (they are seen as negatives); None where words are predicted.
        """
        sentences, words = stats.sentences - stats.empty_sentences, stats.known_tokens
        unusable = {"no_neighbour": alone} if alone is not None else {}
        if alone is None:  # the only word of a sentence cannot be predicted
            sentences, words = sentences - stats.single_sentences, words - stats.single_sentences
            unusable = {"one_known_word": stats.single_sentences}
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
                **unusable,
            },
            unknown={**reasons, "other": unknown - sum(reasons.values())},
            bytes=stats.bytes,
            file_bytes=stats.file_bytes,
            unit="words" if alone is None else "neighbourhoods",
        )
