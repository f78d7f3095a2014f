"""The model card: a README.md that says what is known of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sentvec.version import VERSION

_TEMPLATE = """---
library_name: sentvec
tags: [sentence-embeddings, sentvec, {model}]
---

# {name}

Sentence vectors by {model}, {origin}.

| | |
|---|---|
| vectors | {dtype}, {dim} dimensions |
| vocabulary | {vocabulary:,} words |
{sizes}| tokenizer | `{tokenizer}` |
{rows}

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
_TRAINED = """\
| training text | {sentences:,} sentences in {documents:,} documents |
| words | {tokens:,} ({known:.1%} known) |
| fingerprint of the text | `{fingerprint}` |
| loss per {predicted}, mean of the run | {loss:.4f} |
| training time | {seconds:.0f} s, {threads} threads |"""
_CONVERTED = """\
| converted from | `{file}`, {bytes:,} bytes |
| its layout | {layout} |"""

_EXPANDED = "| expanded by | {added:,} words of `{file}`, by a map fitted on {shared:,} |"

# What other sizes than those every model has are called; those not named here go by their own name.
_SIZES = {"buckets": "n-gram buckets"}

# What the loss of a model is the mean over, where it is not the words it predicts.
_PREDICTED = {"siamese-cbow": "sentence whose neighbours were predicted"}


def model_card(name: str, config: Mapping[str, Any]) -> str:
    """Fill the card of a model from its configuration."""
    settings = "\n".join(
        f"| {key} | {value} |" for key, value in config["settings"].items() if key != "labels"
    )
    if "combined" in config:
        origin = f"combined of {len(config['combined'])} models with sentvec {VERSION}"
        rows = "\n".join(_combined(*numbered) for numbered in enumerate(config["combined"], 1))
    elif "source" in config:
        origin = f"converted by sentvec {VERSION} from a file of another program"
        rows = _CONVERTED.format(**config["source"])
    else:
        training = config.get("training", {})
        version = config.get("sentvec_version", "?")
        created = training.get("finished", "?")
        origin = f"trained from plain text with sentvec {version} on {created}"
        rows = _trained(config["model"], config.get("corpus", {}), training)
    rows = "\n".join([rows, *(_EXPANDED.format(**record) for record in config.get("expanded", []))])
    return _TEMPLATE.format(
        name=name,
        model=config["model"],
        origin=origin,
        rows=rows,
        tokenizer=", ".join(f"{key}={value}" for key, value in config["tokenizer"].items()),
        settings=settings,
        dtype=config["settings"].get("dtype", "float32"),
        sizes=_other_sizes(config["sizes"]),
        dim=config["sizes"]["dim"],
        vocabulary=config["sizes"]["vocabulary"],
    )


def _combined(number: int, record: Mapping[str, Any]) -> str:
    """What the table says of one of the models that were combined."""
    settings, corpus = record.get("settings", {}), record.get("corpus", {})
    said = [f"{name}={settings[name]}" for name in ("encoder", "dim") if name in settings]
    if corpus:
        said.append(f"trained on {corpus['sentences']:,} sentences, {corpus['tokens']:,} words")
    if "loss" in record.get("training", {}):
        said.append(f"loss {record['training']['loss']:.4f}")
    if "source" in record:
        said.append(f"from `{record['source']['file']}`")
    rows = [f"| model {number} | {', '.join(said)} |"]
    return "\n".join([*rows, *(_EXPANDED.format(**each) for each in record.get("expanded", []))])


def _other_sizes(sizes: Mapping[str, int]) -> str:
    """A row of the table for each size that only some kinds of models have."""
    return "".join(
        f"| {_SIZES.get(name, name)} | {size:,} |\n"
        for name, size in sizes.items()
        if name not in ("dim", "vocabulary")
    )


def _trained(model: str, corpus: Mapping[str, Any], training: Mapping[str, Any]) -> str:
    """What the table says of the text and the run."""
    tokens = corpus.get("tokens", 0)
    return _TRAINED.format(
        sentences=corpus.get("sentences", 0),
        tokens=tokens,
        known=corpus.get("known_tokens", 0) / tokens if tokens else 0.0,
        documents=corpus.get("documents", 0),
        fingerprint=corpus.get("fingerprint", "?"),
        loss=training.get("loss", float("nan")),
        seconds=training.get("seconds", 0.0),
        threads=training.get("threads", "?"),
        predicted=_PREDICTED.get(model, "predicted word"),
    )
