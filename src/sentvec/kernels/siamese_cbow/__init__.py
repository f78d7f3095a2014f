"""The compiled update of Siamese CBOW."""
