"""A Skip-Thought model before its first step, to measure what training adds.

python benchmarks/quality/untrained_skip_thought.py MODEL -o UNTRAINED
sentvec evaluate UNTRAINED --data DIR --suite skip-thought
"""

from __future__ import annotations

import argparse
from pathlib import Path

import sentvec
from sentvec import SkipThought
from sentvec.networks.skip_thought import start


def main() -> None:
    """Save a model of the same sizes, words and seed with the parameters of the start."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path, help="a model that was trained with sentvec")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    model = sentvec.load(options.model)
    if not isinstance(model, SkipThought) or len(model.parts) != 1 or "source" in model.config:
        parser.error(f"{options.model} is not a single Skip-Thought model trained by sentvec")
    seed = int(model.config["settings"]["seed"])
    for name, tensor in start(model.parts[0].shape, seed).items():
        model.tensors[name] = tensor.numpy()
    model.save(options.output)


if __name__ == "__main__":
    main()
