"""The compiled update of Sent2Vec."""
