"""The model card: a README.md that says what is known of a model."""

from __future__ import annotations

from sentvec.storage.config import Component, ModelConfig
from sentvec.storage.records import Corpus, Expansion, Training
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


def model_card(name: str, config: ModelConfig, predicted: str) -> str:
    """Fill in the card of a model.

    Args:
        name: Of the model.
        config: Of the model.
        predicted: What the loss is the mean over.
    """
    if config.combined is not None:
        origin = f"combined of {len(config.combined)} models with sentvec {VERSION}"
        rows = [_component(*numbered) for numbered in enumerate(config.combined, 1)]
    elif config.source is not None:
        origin = f"converted by sentvec {VERSION} from a file of another program"
        source = config.source
        rows = [_CONVERTED.format(file=source.file, bytes=source.bytes, layout=source.layout)]
    else:
        version = config.sentvec_version or "?"
        created = (config.training and config.training.finished) or "?"
        origin = f"trained from plain text with sentvec {version} on {created}"
        rows = [_trained(config, predicted)]
    sizes, settings = config.sizes, config.settings
    return _TEMPLATE.format(
        name=name,
        model=config.kind,
        origin=origin,
        rows="\n".join([*rows, *map(_expansion, config.expanded)]),
        tokenizer=", ".join(f"{key}={value}" for key, value in config.tokenizer.items()),
        settings="\n".join(
            f"| {key} | {value} |" for key, value in settings.stored.items() if key != "labels"
        ),
        dtype=settings.dtype or "float32",
        sizes="".join(
            f"| {_SIZES.get(key, key)} | {size:,} |\n"
            for key, size in sizes.stored.items()
            if key not in ("dim", "vocabulary")
        ),
        dim=sizes.dim,
        vocabulary=sizes.vocabulary,
    )


def _component(number: int, record: Component) -> str:
    """What the table says of one of the models that were combined."""
    settings = record.settings.stored if record.settings else {}
    said = [f"{name}={settings[name]}" for name in ("encoder", "dim") if name in settings]
    if record.corpus:
        corpus = record.corpus
        said.append(f"trained on {corpus.sentences:,} sentences, {corpus.tokens:,} words")
    if record.training and record.training.loss is not None:
        said.append(f"loss {record.training.loss:.4f}")
    if record.source:
        said.append(f"from `{record.source.file}`")
    rows = [f"| model {number} | {', '.join(said)} |"]
    return "\n".join([*rows, *map(_expansion, record.expanded)])


def _expansion(record: Expansion) -> str:
    return _EXPANDED.format(added=record.added, file=record.file, shared=record.shared)


def _trained(config: ModelConfig, predicted: str) -> str:
    """What the table says of the text and the run."""
    corpus, run = config.corpus or Corpus.of(), config.training or Training.of()
    return _TRAINED.format(
        sentences=corpus.sentences,
        tokens=corpus.tokens,
        known=corpus.known_tokens / corpus.tokens if corpus.tokens else 0.0,
        documents=corpus.documents,
        fingerprint=corpus.fingerprint or "?",
        loss=float("nan") if run.loss is None else run.loss,
        seconds=run.seconds or 0.0,
        threads=run.threads or "?",
        predicted=predicted,
    )
