"""The model files of other programs: Sent2Vec, fastText, word2vec, GloVe, read and written.

Readers map a file and check it; they never trust a number in it. Not here: what a model does with
its matrices (`models`), and our own folders (`storage`).
"""
