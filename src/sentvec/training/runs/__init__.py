"""A training run: output, checkpoints and validation around the loop of any model."""
