"""Models that other programs wrote: from an opened file to a model.

Which rows a text has is for the classes: `Sent2Vec` (words and hashed word n-grams), `FastText`
(character n-grams too) and `WordVectors` (words alone). Reading files is in `formats`.
"""

from __future__ import annotations

from typing import Any

from sentvec.formats.shared.foreign import ForeignModel
from sentvec.models.base.averaging import SentenceEncoder
from sentvec.models.base.packing import SENTENCE_END
from sentvec.models.base.stored import Reopen, StoredEncoder
from sentvec.models.kinds.kind import KINDS
from sentvec.storage.config import ModelConfig
from sentvec.storage.folder import undescribed
from sentvec.text.tokenizer import Tokenizer

# The models for which `SENTENCE_END` ends a sentence. Where fastText has learned no labels, it is a
# word like others.
_ENDED = ("sent2vec", "cbow-c+w-ngrams", "supervised")


def from_foreign(
    opened: ForeignModel, tokenizer: Tokenizer | None = None, *, reopen: Reopen | None = None
) -> StoredEncoder:
    """The encoder of a model file of another program.

    Args:
        opened: The file.
        tokenizer: Cuts text into words; without it, at white space and nothing changed, as the
            programs themselves do.
        reopen: Opens the file again where the model is unpickled.
    """
    chosen = tokenizer or Tokenizer("whitespace")
    settings: dict[str, Any] = {"ngrams": 1, "dtype": _dtype(opened), **opened.settings}
    settings["tokenizer"] = chosen.name
    if settings["model"] in _ENDED:
        settings["sentence_end"] = SENTENCE_END
    source = {
        "file": opened.path.name,
        "layout": opened.layout,
        "bytes": opened.path.stat().st_size,
    }
    try:
        config = ModelConfig.from_json(
            {
                "model": opened.kind,
                "settings": settings,
                "tokenizer": chosen.to_config(),
                "sizes": opened.sizes,
                "source": source,
            }
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise undescribed(opened.path, error) from error
    return KINDS[opened.kind].model(
        vocabulary=opened.vocabulary,
        tokenizer=chosen,
        tensors=_needed(opened),
        config=config,
        origin=opened.path.absolute(),
        reopen=reopen,
    )


def _dtype(opened: ForeignModel) -> str:
    """How the source vectors are stored, for people."""
    return "product quantisation" if "codes" in opened.tensors else "float32"


def _needed(opened: ForeignModel) -> dict[str, Any]:
    """The tensors without rows that nothing uses (Sent2Vec has had one since March 2019)."""
    model = KINDS[opened.kind].model
    is_hashed = issubclass(model, SentenceEncoder) and model.HASHES_IDS
    if not is_hashed or "input_vectors" not in opened.tensors:
        return opened.tensors
    rows = opened.sizes["vocabulary"] + opened.sizes["buckets"]
    return {**opened.tensors, "input_vectors": opened.tensors["input_vectors"][:rows]}
