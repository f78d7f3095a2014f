"""The kinds of models that come with the library, in the order in which they are named."""

from __future__ import annotations

from sentvec.formats.skip_thoughts.released import is_released
from sentvec.models.fasttext.model import FastText
from sentvec.models.kinds.kind import Kind, register
from sentvec.models.sent2vec.model import Sent2Vec
from sentvec.models.sent2vec.trainer import Sent2VecTrainer
from sentvec.models.siamese_cbow.model import SiameseCBOW
from sentvec.models.siamese_cbow.trainer import SiameseCBOWTrainer
from sentvec.models.skip_thought.model import SkipThought
from sentvec.models.skip_thought.released import from_released
from sentvec.models.skip_thought.trainer import SkipThoughtTrainer
from sentvec.models.word_vectors import WordVectors

register(
    Kind(
        Sent2Vec,
        Sent2VecTrainer,
        "Train a Sent2Vec model.\n\n"
        "A sentence vector is the mean of word and n-gram vectors that are trained to predict the "
        "other words of the sentence.",
        preset="paper/books-bigrams",
    )
)
register(
    Kind(
        SiameseCBOW,
        SiameseCBOWTrainer,
        "Train a Siamese CBOW model on sentences in order.\n\n"
        "Documents are separated by a blank line. A sentence vector is the mean of word vectors "
        "that are trained to predict the neighbouring sentences.",
        preset="paper/siamese-cbow",
    )
)
register(Kind(FastText))
register(Kind(WordVectors))
register(
    Kind(
        SkipThought,
        SkipThoughtTrainer,
        "Train a Skip-Thought model on sentences in order.\n\n"
        "Documents are separated by a blank line. A sentence vector is the last state of a GRU "
        "that reads the sentence, trained to predict the previous and the next sentence. "
        "Needs torch.",
        preset="paper/uni-skip",
        recognises=is_released,
        open=from_released,
    )
)
