"""Baselines that need no training: TF-IDF, SIF, the plain mean of word vectors.

They turn texts into vectors like any model, but first look at all texts of a task together: `fit`.
They see the texts of the test part there, but no labels.

Not here: how they are measured (`sentvec.evaluation`, which does not know them).
"""
