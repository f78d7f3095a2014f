"""Evaluation tasks: which there are, and how their files are read."""
