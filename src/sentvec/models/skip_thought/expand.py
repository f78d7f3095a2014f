"""Vocabulary expansion: words that a Skip-Thought encoder never saw get vectors it can read.

Kiros et al., "Skip-Thought Vectors", NIPS 2015, section 2.2: a linear map from other word vectors,
which know more words, to those the encoder reads, fitted on the words that both have. Words that
were trained keep their vectors, as do the end of a sentence and the unknown word.

Not here: the solver (`least_squares`), and reading files of word vectors (`formats`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import DivergedError, SettingsError
from sentvec.models.base.averaging import SentenceEncoder, averaging
from sentvec.models.base.packing import kept_words
from sentvec.models.base.similarity import cosine_pairs
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.kinds.load import opened_model
from sentvec.models.skip_thought.least_squares import Floats, LeastSquares
from sentvec.models.skip_thought.model import SkipThought
from sentvec.networks.shape import FIRST_WORD
from sentvec.storage.lazy import LazyMatrix
from sentvec.storage.records import Expansion
from sentvec.storage.rows import Rows
from sentvec.text.vocabulary import Vocabulary

Ints = NDArray[np.int64]

_BLOCK = 1 << 12  # words whose vectors are in float64 at a time
_TENTH = 10  # one word in ten is held out


@dataclass(frozen=True, slots=True)
class Fit:
    """How well mapped vectors fit those that were trained.

    A share of variance (R^2) is over all numbers of all shared words, about the mean of each
    column; a cosine is the mean over words, and over parts where a model has several. Those of the
    held-out words, every tenth, are of a map fitted on the others; they say what to expect of words
    that are added. NaN where the others are fewer than what is fitted.

    Attributes:
        shared: Trained words that the other vectors know, on which the map was fitted.
        added: Words that got a mapped vector.
        r2: Share of variance of the shared words that the map explains.
        cosine: Of mapped to trained vectors of the shared words.
        held_out_r2: As `r2`, of the held-out words.
        held_out_cosine: As `cosine`, of the held-out words.
    """

    shared: int
    added: int
    r2: float
    cosine: float
    held_out_r2: float
    held_out_cosine: float


def expand(
    model: StoredEncoder,
    vectors: str | os.PathLike[str] | StoredEncoder,
    *,
    intercept: bool = True,
    max_vocab: int | None = None,
) -> tuple[SkipThought, Fit]:
    """Give a Skip-Thought model the words of other word vectors.

        model, fit = expand(load("skip-thought"), "glove.6B.300d.txt")
        model.save("expanded")

    Words are compared unchanged, upper and lower case apart: choose vectors whose words are cut
    and cased as the model's tokenizer does it. The map of each part of a combined model is its own.
    New words can be read; decoders predict those they were trained with. An expanded model may be
    expanded again: the map is fitted on its trained words, and the missing words are added.

    Args:
        model: A Skip-Thought model, single or combined. It is not changed.
        vectors: A model with word vectors, or anything with such that `sentvec.load` opens.
        intercept: Fit an affine map, as the released program does; without, a linear one.
        max_vocab: Keep N words in all; those of the vectors come in their order, which is
            mostly the most frequent first. The words of the model all stay.

    Returns:
        The new model, and how well the map fits. The vectors of added words are computed when they
        are read or saved, from `vectors`, which is kept open.

    Raises:
        SettingsError: The model is no Skip-Thought model, `vectors` have no word vectors, they
            share too few words with the model, or `max_vocab` is below what it has.
        SourceError, FormatError: There are no vectors at the path.
        InputTypeError: `vectors` is no model and no path.
        DivergedError: A vector is not finite.
    """
    if not isinstance(model, SkipThought):
        msg = f"the model to expand is a {model.config.kind} model - expected a Skip-Thought"
        raise SettingsError(msg + " model, whose encoder reads word vectors")
    room = _room(len(model.vocabulary), max_vocab)
    source = averaging(opened_model(vectors, "vectors"), "vectors", "word vectors of its own")
    source.advise_access(everywhere=True)
    shared = _shared(model, source, intercept)
    fresh = _new_words(model, source)[:room]
    for _ in _blocks_of(source, fresh):  # all of them are finite
        pass
    maps, quality = _fitted(model, source, shared, intercept)
    fit = Fit(len(shared), len(fresh), *quality)
    record = Expansion.from_json(
        {
            "file": _name_of(vectors, source),
            "shared": fit.shared,
            "added": fit.added,
            "intercept": intercept,
            "r2": round(fit.r2, 6) if np.isfinite(fit.r2) else None,
        }
    )
    return _expanded_model(model, source, fresh, maps, record), fit


def trained_words(model: SkipThought) -> int:
    """How many words were trained: the first ones of the vocabulary."""
    return model.config.sizes.words_trained


def _room(words: int, max_vocab: int | None) -> int | None:
    """For how many new words there is room; None without a limit."""
    if max_vocab is None:
        return None
    if max_vocab < words:
        msg = f"max_vocab is {max_vocab}, and the model has {words:,} words, which all stay - "
        raise SettingsError(msg + "expected that many at least")
    return max_vocab - words


def _shared(model: SkipThought, source: SentenceEncoder, intercept: bool) -> Ints:
    """The trained words that both know: int64 (n, 2), ids of the model and of the vectors.

    Raises:
        SettingsError: There are not enough to fit a map on.
    """
    known = source.vocabulary.ids
    trained = model.vocabulary.words[: trained_words(model)]
    shared = [(number, known[word]) for number, word in enumerate(trained) if word in known]
    least = source.dim + intercept
    if len(shared) < least:
        lower = sum(word not in known and word.lower() in known for word in trained)
        cased = f"; {lower:,} more are, but in lower case" if lower else ""
        msg = (
            f"{len(shared):,} of the {len(trained):,} words that the model was trained with are in "
            f"the vectors{cased} - expected {least:,} at least, to fit a map from {source.dim} "
            "dimensions; choose vectors of fewer dimensions, or whose words are cut and cased like "
            f"the model's, such as {trained[0]!r}, or train with a larger max_vocab"
        )
        raise SettingsError(msg)
    return np.array(shared, np.int64).reshape(-1, 2)


def _new_words(model: SkipThought, source: SentenceEncoder) -> Ints:
    """The ids of the words that only the vectors have, in their order."""
    words, known = source.vocabulary.words, model.vocabulary.ids
    ids = kept_words(source, None, None)
    return np.array([number for number in ids.tolist() if words[number] not in known], np.int64)


def _blocks_of(source: SentenceEncoder, ids: Ints) -> Iterator[NDArray[np.float32]]:
    """The vectors of words, a block at a time.

    Raises:
        DivergedError: One is not finite.
    """
    for start in range(0, len(ids), _BLOCK):
        block = ids[start : start + _BLOCK]
        found = source.word_vectors(block)
        wrong = np.flatnonzero(~np.isfinite(found).all(axis=1))
        if len(wrong):
            word = source.vocabulary.words[block[wrong[0]]]
            msg = f"the vector of {word!r} in the vectors is not finite - choose others, or remove"
            raise DivergedError(msg + " the word")
        yield found


def _fitted(
    model: SkipThought, source: SentenceEncoder, shared: Ints, intercept: bool
) -> tuple[list[Floats], tuple[float, float, float, float]]:
    """The map of each part, and the four numbers of `Fit`."""
    tables = [model.table_of(part) for part in model.parts]
    widths = [table.shape[1] for table in tables]

    def pairs(chosen: Ints) -> Iterator[tuple[Floats, Floats]]:
        blocks = _blocks_of(source, chosen[:, 1])
        for start, block in zip(range(0, len(chosen), _BLOCK), blocks, strict=True):
            rows = chosen[start : start + _BLOCK, 0] + FIRST_WORD
            yield (
                _inputs(block, intercept),
                np.hstack([t.take(rows) for t in tables]).astype(np.float64),
            )

    is_held_out = np.arange(len(shared)) % _TENTH == _TENTH - 1
    fitted_on, held_out = shared[~is_held_out], shared[is_held_out]
    equations = LeastSquares(source.dim + intercept, sum(widths))
    for X, Y in pairs(fitted_on):
        equations.add(X, Y)
    of_the_others = float("nan"), float("nan")
    if len(fitted_on) >= source.dim + intercept and len(held_out):
        of_the_others = _quality(pairs(held_out), equations.solution(), widths)
    for X, Y in pairs(held_out):
        equations.add(X, Y)
    solution = equations.solution()
    of_all = _quality(pairs(shared), solution, widths)
    return np.split(solution, np.cumsum(widths)[:-1], axis=1), (*of_all, *of_the_others)


def _inputs(vectors: NDArray[np.float32], intercept: bool) -> Floats:
    """What a map is applied to: vectors in float64, behind a column of ones for an intercept."""
    found = np.ones((len(vectors), vectors.shape[1] + intercept))
    found[:, int(intercept) :] = vectors
    return found


def _quality(
    pairs: Iterator[tuple[Floats, Floats]], solution: Floats, widths: list[int]
) -> tuple[float, float]:
    """R^2 and mean cosine of what a map makes of words to what it should; NaN if undefined."""
    count, cosines, missed = 0, 0.0, 0.0
    means, spread = np.zeros(solution.shape[1]), 0.0  # of the words so far
    cuts = np.cumsum(widths)[:-1]
    for X, Y in pairs:
        mapped = X @ solution
        missed += float(np.square(Y - mapped).sum())
        # The spread of two sets about their common mean (Chan, Golub and LeVeque 1983).
        own, total = Y.mean(axis=0), count + len(Y)
        spread += float(np.square(Y - own).sum())
        spread += float(np.square(own - means).sum()) * count * len(Y) / total
        means += (own - means) * (len(Y) / total)
        count = total
        for made, wanted in zip(np.split(mapped, cuts, 1), np.split(Y, cuts, 1), strict=True):
            both = made.astype(np.float32), wanted.astype(np.float32)
            cosines += float(cosine_pairs(*both).sum(dtype=np.float64))
    r2 = 1 - missed / spread if spread else float("nan")
    return r2, cosines / (count * len(widths))


def _name_of(vectors: str | os.PathLike[str] | StoredEncoder, source: SentenceEncoder) -> str:
    """What the configuration calls the vectors: a file or folder, without its path."""
    if not isinstance(vectors, StoredEncoder):
        return Path(os.fsdecode(vectors)).name
    origin = source.config.source
    return f"a {source.config.kind} model" if origin is None else origin.file


@dataclass(frozen=True)
class _Table:
    """The word vectors of an expanded model: rows that it had, then mapped ones."""

    own: Rows
    source: SentenceEncoder
    fresh: Ints
    solution: Floats

    def take(self, rows: Ints) -> NDArray[np.float32]:
        """Rows of the table: float32 (n, word_dim)."""
        found = np.empty((len(rows), self.own.shape[1]), np.float32)
        intercept = len(self.solution) > self.source.dim
        for start in range(0, len(rows), _BLOCK):
            block, target = rows[start : start + _BLOCK], found[start : start + _BLOCK]
            is_own = block < self.own.shape[0]
            target[is_own] = self.own.take(block[is_own])
            if not is_own.all():
                ids = self.fresh[block[~is_own] - self.own.shape[0]]
                # in float64, so that rounding does not depend on the words beside a word
                X = _inputs(self.source.word_vectors(ids), intercept)
                target[~is_own] = X @ self.solution
        return found


def _expanded_model(
    model: SkipThought,
    source: SentenceEncoder,
    fresh: Ints,
    maps: list[Floats],
    record: Expansion,
) -> SkipThought:
    """The model with the new words, whose vectors are made when they are asked for."""
    old = model.vocabulary
    words = [*old.words, *(source.vocabulary.words[number] for number in fresh.tolist())]
    vocabulary = Vocabulary(words, np.concatenate([old.counts, np.zeros(len(fresh), np.int64)]))
    tensors = model.ordered_tensors()
    for part, solution in zip(model.parts, maps, strict=True):
        table = _Table(model.table_of(part), source, fresh, solution)
        rows, width = np.arange(len(words) + FIRST_WORD), part.shape.word_dim
        tensors[part.prefix + "word_vectors"] = LazyMatrix(rows, table.take, width, np.dtype("f4"))
    sizes = model.config.sizes.with_values(
        vocabulary=len(words), trained_words=trained_words(model)
    )
    expanded = (*model.config.expanded, record)
    return SkipThought(
        vocabulary=lambda: vocabulary, tokenizer=model.tokenizer, tensors=tensors,
        config=model.config.with_values(sizes=sizes, expanded=expanded),
    )  # fmt: skip
