"""Skip-Thought models with tensors of random numbers: nothing is trained, so they are made at once."""

from __future__ import annotations

import numpy as np

from sentvec import SkipThought
from sentvec.models.skip_thought.parts import Part
from sentvec.networks.shape import FIRST_WORD, Shape
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.vocabulary import Vocabulary


def made(
    words, *, word_dim=4, dim=6, encoder="uni", seed=1, tokenizer="whitespace", end_token=True
):
    """A model with decoders, whose words were seen as often as they stand from the end."""
    rng = np.random.default_rng(seed)
    shape = Shape(len(words) + FIRST_WORD, word_dim, dim, encoder == "bi", "released", True)
    part = Part(shape)
    tensors = {
        name: rng.normal(size=size).astype(np.float32)
        for name, size in part.tensors(shape.words).items()
    }
    vocabulary = Vocabulary(words, np.arange(len(words), 0, -1))
    chosen = Tokenizer(tokenizer)
    config = {
        "model": "skip-thought",
        "settings": {"encoder": encoder, "dim": dim, "word_dim": word_dim, "seed": seed,
                     "tokenizer": tokenizer},
        "tokenizer": chosen.to_config(),
        "sizes": {"dim": dim, "vocabulary": len(words), "word_dim": word_dim,
                  "trained_words": len(words)},
        "corpus": {"sentences": 1000, "documents": 2, "tokens": 10, "known_tokens": 9},
        "training": {"loss": 5.0 + seed, "seconds": 1.0},
        "parts": [part.to_config()],
        "encoding": {"end_token": end_token, "normalize_parts": False},
    }  # fmt: skip
    return SkipThought(
        vocabulary=lambda: vocabulary, tokenizer=chosen, tensors=tensors, config=config
    )


def with_word_vectors(model, vectors, name="word_vectors"):
    """The model, with these for the vectors of its words; the first two rows stay."""
    own = model.tensors[name]
    model.tensors[name] = np.vstack([own[:FIRST_WORD], vectors]).astype(np.float32)
    return model
