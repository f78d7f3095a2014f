"""Siamese CBOW: settings, training, model."""
