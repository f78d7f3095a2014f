"""Sent2Vec: settings, training, model."""
