"""Training: the loop over a corpus, what it needs and what it reports."""
