"""The kinds of models, and encoders of what other programs wrote: from an opened file to a model.

Which rows a text has is for the classes: `Sent2Vec` (words and hashed word n-grams), `FastText`
(character n-grams too) and `WordVectors` (words alone). Reading files is in `formats`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

from sentvec.formats.shared.foreign import ForeignModel
from sentvec.models.base.averaging import SENTENCE_END, SentenceEncoder
from sentvec.models.base.stored import StoredEncoder
from sentvec.models.fasttext.model import FastText
from sentvec.models.sent2vec.model import Sent2Vec
from sentvec.models.siamese_cbow.model import SiameseCBOW
from sentvec.text.tokenizer import Tokenizer

# The models for which `SENTENCE_END` ends a sentence. Where fastText has learned no labels, it is a
# word like others.
_ENDED = ("sent2vec", "cbow-c+w-ngrams", "supervised")


class WordVectors(SentenceEncoder):
    """Sentence vectors as the plain mean of word vectors, of word2vec, GloVe or any other program.

    >>> sentvec.load("glove.6B.300d.txt").encode("two words").shape   # doctest: +SKIP
    (300,)
    """

    KIND = "word-vectors"


# All kinds of models that are stored: the class, or where it is ("module:class") for one whose
# module should be imported only where such a model is opened.
KINDS: dict[str, type[StoredEncoder] | str] = {
    **{kind.KIND: kind for kind in (Sent2Vec, SiameseCBOW, FastText, WordVectors)},
    "skip-thought": "sentvec.models.skip_thought.model:SkipThought",
}


def kind_named(name: str) -> type[StoredEncoder]:
    """The class of a kind of `KINDS`, imported now if it was not yet."""
    kind = KINDS[name]
    if isinstance(kind, str):
        module, _, own_name = kind.partition(":")
        kind = cast(type[StoredEncoder], getattr(import_module(module), own_name))
    return kind


def from_foreign(opened: ForeignModel, tokenizer: Tokenizer | None = None) -> StoredEncoder:
    """The encoder of a model file of another program.

    Args:
        opened: The file.
        tokenizer: Cuts text into words; without it, at white space and nothing changed, as the
            programs themselves do.
    """
    chosen = tokenizer or Tokenizer("whitespace")
    settings: dict[str, Any] = {"ngrams": 1, "dtype": _dtype(opened), **opened.settings}
    settings["tokenizer"] = chosen.name
    if settings["model"] in _ENDED:
        settings["sentence_end"] = SENTENCE_END
    config = {
        "model": opened.kind,
        "settings": settings,
        "tokenizer": chosen.to_config(),
        "sizes": opened.sizes,
        "source": {
            "file": opened.path.name,
            "layout": opened.layout,
            "bytes": opened.path.stat().st_size,
        },
    }
    return kind_named(opened.kind)(
        vocabulary=opened.vocabulary,
        tokenizer=chosen,
        tensors=_needed(opened),
        config=config,
        origin=opened.path.absolute(),
    )


def _dtype(opened: ForeignModel) -> str:
    """How the source vectors are stored, for people."""
    return "product quantisation" if "codes" in opened.tensors else "float32"


def _needed(opened: ForeignModel) -> dict[str, Any]:
    """The tensors without rows that nothing uses (Sent2Vec has had one since March 2019)."""
    if opened.kind != Sent2Vec.KIND or "input_vectors" not in opened.tensors:
        return opened.tensors
    rows = opened.sizes["vocabulary"] + opened.sizes["buckets"]
    return {**opened.tensors, "input_vectors": opened.tensors["input_vectors"][:rows]}
