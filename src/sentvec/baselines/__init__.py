"""Baselines that need no training: TF-IDF, SIF, the plain mean of word vectors."""
