"""The model card: a README.md that says what is known of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TEMPLATE = """---
library_name: sentvec
tags: [sentence-embeddings, sentvec, {model}]
---

# {name}

Sentence vectors by {model}, trained from plain text with sentvec {version} on {created}.

| | |
|---|---|
| vectors | {dtype}, {dim} dimensions |
| vocabulary | {vocabulary:,} words |
| n-gram buckets | {buckets:,} |
| tokenizer | `{tokenizer}` |
| training text | {sentences:,} sentences in {documents:,} documents |
| words | {tokens:,} ({known:.1%} known) |
| fingerprint of the text | `{fingerprint}` |
| loss per {predicted}, mean of the run | {loss:.4f} |
| training time | {seconds:.0f} s, {threads} threads |

## Use

```python
import sentvec

model = sentvec.load("{name}")
model.encode(["one sentence", "another"])
```

## Settings

| setting | value |
|---|---|
{settings}

The vectors reflect the text they were trained on, its gaps and its prejudices included. Text
without a known word has the zero vector.
"""

# What the loss of a model is the mean over, where it is not the words it predicts.
_PREDICTED = {"siamese-cbow": "sentence whose neighbours were predicted"}


def model_card(name: str, config: Mapping[str, Any]) -> str:
    """Fill the card of a model from its configuration."""
    corpus, training = config.get("corpus", {}), config.get("training", {})
    tokens = corpus.get("tokens", 0)
    settings = "\n".join(f"| {key} | {value} |" for key, value in config["settings"].items())
    return _TEMPLATE.format(
        name=name,
        model=config["model"],
        version=config.get("sentvec_version", "?"),
        created=training.get("finished", "?"),
        tokenizer=", ".join(f"{key}={value}" for key, value in config["tokenizer"].items()),
        sentences=corpus.get("sentences", 0),
        tokens=tokens,
        known=corpus.get("known_tokens", 0) / tokens if tokens else 0.0,
        documents=corpus.get("documents", 0),
        fingerprint=corpus.get("fingerprint", "?"),
        loss=training.get("loss", float("nan")),
        seconds=training.get("seconds", 0.0),
        threads=training.get("threads", "?"),
        predicted=_PREDICTED.get(config["model"], "predicted word"),
        settings=settings,
        dtype=config["settings"].get("dtype", "float32"),
        **config["sizes"],
    )
