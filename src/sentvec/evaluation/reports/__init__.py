"""Evaluation reports: results, tables, comparisons, figures."""
