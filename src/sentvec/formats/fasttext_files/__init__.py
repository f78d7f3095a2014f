"""Binaries of fastText and Sent2Vec."""
