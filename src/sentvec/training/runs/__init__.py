"""A training run: what surrounds the loop of any model."""
