"""Models of fastText, and of Sent2Vec with character n-grams."""
