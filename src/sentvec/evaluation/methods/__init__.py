"""Evaluation methods: classifiers, correlations, rankings and their protocols."""
