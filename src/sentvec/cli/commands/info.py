"""`sentvec info MODEL`: a model in a few lines."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import typer

from sentvec.cli.terminal.model import Model, TokenizerName, open_model, shown_size, size_on_disk
from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.base.checks import CHAR_NGRAMS
from sentvec.models.skip_thought.parts import parts_of
from sentvec.storage.config import ModelConfig
from sentvec.storage.records import Record
from sentvec.storage.rows import bytes_to_read
from sentvec.text.letter_case import LOWER_CASED, MAX_WORDS, lower_case_share
from sentvec.text.unicode import encode
from sentvec.wording import counted

if TYPE_CHECKING:
    from sentvec.models.base.stored import StoredEncoder

_SHOWN_SIZES = ("dim", "vocabulary", "buckets")  # have lines of their own
_SENTENCE_WORDS = 20  # of a typical sentence
# Memory of a word: text, id, place in the table, count. Measured as the growth of the
# resident memory when a vocabulary of 100,000 to 2,000,000 words of 9.6 letters is read (CPython
# 3.11, 64 bits): 167 to 175 bytes.
_WORD_BYTES = 175


def command(model: Model, tokenizer: TokenizerName = None) -> None:
    """Describe a model, or a file of another program."""
    encoder = open_model(model, tokenizer)
    config = encoder.config
    settings, labels = config.settings, config.settings.labels or []
    lines = {
        "model": _kind(config),
        "vectors": f"{settings.dtype or 'float32'}, dim {encoder.dim}",
        "vocabulary": f"{counted(len(encoder.vocabulary), 'word')}: "
        + ", ".join([*islice(encoder.vocabulary, 10), "..."]),
        "case": _case(encoder),
        "n-grams": _ngrams(encoder),
        "sizes": _joined(config.sizes, "=", leave_out=_SHOWN_SIZES),
        "labels": ", ".join(label for label, _ in labels[:10]),
        "tokenizer": ", ".join(f"{key}={value}" for key, value in config.tokenizer.items()),
        "size": f"{shown_size(size_on_disk(model))} on disk; {_memory(encoder)}",
        "combined": _parts(encoder),
        "expanded": _expanded(config),
        "corpus": _joined(config.corpus, " "),
        "training": _joined(config.training, " "),
        "settings": _joined(settings, "=", leave_out=("labels",)),
    }
    for name, value in lines.items():
        if value:
            typer.echo(encode(f"{name:<12}{value}"))


def _kind(config: ModelConfig) -> str:
    if config.source is not None:
        return f"{config.kind}, from {config.source.file}: {config.source.layout}"
    return (
        f"{config.kind}, format version {config.format_version}, "
        f"sentvec {config.sentvec_version or '?'}"
    )


def _parts(encoder: StoredEncoder) -> str:
    """The encoders whose vectors are concatenated, if there are several."""
    shapes = [part.shape for part in parts_of(encoder.config)]
    said = [
        f"dim {shape.dim} {'both ways' if shape.bidirectional else 'forwards'}" for shape in shapes
    ]
    return " + ".join(said) if len(said) > 1 else ""


def _expanded(config: ModelConfig) -> str:
    """The source of the words that were not trained; the same for combined models only once."""
    records = [each for one in config.combined or () for each in one.expanded]
    said = (
        f"{counted(each.added, 'word')} of {each.file}, by a map fitted on {each.shared:,}"
        for each in [*records, *config.expanded]
    )
    return "; ".join(dict.fromkeys(said))


def _ngrams(encoder: StoredEncoder) -> str:
    """Which n-grams have rows, and how many rows."""
    if not isinstance(encoder, SentenceEncoder):
        return ""
    settings, parts = encoder.config.settings, []
    if (settings.ngrams or 1) > 1:
        parts.append(f"words up to {settings.ngrams}")
    if encoder.HASHES_CHARACTERS and settings.max_n:
        parts.append(f"characters {settings.min_n} to {settings.max_n}")
    buckets = encoder.config.sizes.buckets or 0
    if settings.model == CHAR_NGRAMS:
        buckets += settings.char_buckets or 0
    pairs = encoder.tensors.get("pruned_buckets")
    kept = "" if pairs is None else f", of which {len(pairs):,} were kept"
    return f"{' and '.join(parts)}, in {buckets:,} buckets{kept}" if parts else "none"


def _case(encoder: StoredEncoder) -> str:
    share, n_words = lower_case_share(encoder.vocabulary)
    if not n_words:
        return ""
    lower_cased, advice = share > LOWER_CASED, ""
    if lower_cased and not encoder.tokenizer.lowercase:
        advice = (
            "; the tokenizer keeps capitals: lower-case your text, or choose another --tokenizer"
        )
    first = "the words" if len(encoder.vocabulary) <= MAX_WORDS else f"the first {n_words:,} words"
    verdict = "lower case" if lower_cased else "mixed case"
    return f"{verdict} ({100 * share:.1f} % of {first} are lower-case){advice}"


def _memory(encoder: StoredEncoder) -> str:
    """What encoding takes in memory: rows or whole matrices, and the words, ids and counts."""
    vocabulary = f"about {shown_size(len(encoder.vocabulary) * _WORD_BYTES)}"
    if not isinstance(encoder, SentenceEncoder):
        tensors = shown_size(sum(tensor.nbytes for tensor in encoder.tensors.values()))
        return f"encoding holds up to {tensors} of matrices, and the vocabulary, {vocabulary}"
    row = bytes_to_read(encoder.tensors, encoder.dim)
    if row is None:
        matrix = shown_size(sum(tensor.nbytes for tensor in encoder.tensors.values()))
        return (
            f"text is read whole on every load, {matrix} beside the vocabulary, {vocabulary}; "
            "convert the model once"
        )
    # Words from all over the vocabulary; rare ones are longer and have more parts.
    words = encoder.vocabulary.words[:: len(encoder.vocabulary) // _SENTENCE_WORDS + 1]
    rows = encoder.count_rows(list(words)) * _SENTENCE_WORDS // max(len(words), 1)
    return (
        f"mapped: encoding reads the pages of the rows it needs, {shown_size(rows * row)} for a "
        f"sentence of {_SENTENCE_WORDS} words, and holds the vocabulary, {vocabulary}"
    )


def _joined(record: Record | None, sign: str, leave_out: tuple[str, ...] = ()) -> str:
    values = {} if record is None else record.stored
    return ", ".join(f"{key}{sign}{value}" for key, value in values.items() if key not in leave_out)
