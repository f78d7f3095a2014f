"""Skip-Thought in plain NumPy: the definition, and the oracle of what `networks` computes.

Equations are those of Kiros et al. 2015, section 2.1. One sentence at a time, one word at a time:
no batches, no packing, nothing fast.

    p          tensors by name, as `networks.shape` lists them; the names tell what the network
               is: bidirectional with `encoder_reverse.*`, decoders that see the sentence at
               every step with `*.condition`, an adaptive softmax with `output.project1`
    sentence   rows of `word_vectors`, its end as the last of them
    form       of the GRU: `released` or `paper`
    s  (D,)    a sentence vector

Blocks of rows of the matrices of a GRU are in the order reset, update, candidate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Tensors = Mapping[str, Array]
Sentence = Sequence[int]


def sigmoid(a: Array) -> Array:
    """1 / (1 + exp(-a))."""
    result: Array = 1 / (1 + np.exp(-a))
    return result


def log_softmax(a: Array) -> Array:
    """The logarithm of exp(a) / sum exp(a), of a vector."""
    shifted = a - a.max()
    result: Array = shifted - np.log(np.exp(shifted).sum())
    return result


def gru_step(x: Array, h: Array, U: Array, form: str) -> Array:
    """The state after one more word.

    `paper` is equations 1 to 4 (and 5 to 8). `released` is the released program: the reset gate
    comes after the product with U, and the update gate says what stays, not what is new.

    Args:
        x: (3d,), what the word gives to the gates: W x + b, and C s where that is added.
        h: (d,), the state before.
        U: (3d, d), recurrent matrices.
        form: See the module.
    """
    x_r, x_z, x_c = np.split(x, 3)
    U_r, U_z, U_c = np.split(U, 3)
    r = sigmoid(x_r + U_r @ h)  # eq. 1
    z = sigmoid(x_z + U_z @ h)  # eq. 2
    if form == "released":
        c = np.tanh(x_c + r * (U_c @ h))
        return z * h + (1 - z) * c
    c = np.tanh(x_c + U_c @ (r * h))  # eq. 3
    return (1 - z) * h + z * c  # eq. 4


def encode(p: Tensors, sentence: Sentence, form: str) -> Array:
    """The sentence vector: the state after the last word, of each direction: (D,)."""
    parts = [_read(p, "encoder", sentence, form)]
    if "encoder_reverse.input" in p:
        parts.append(_read(p, "encoder_reverse", sentence[::-1], form))
    return np.concatenate(parts)


def _read(p: Tensors, name: str, sentence: Sentence, form: str) -> Array:
    U = p[f"{name}.recurrent"]
    h: Array = np.zeros(U.shape[1], U.dtype)
    for word in sentence:
        x = p[f"{name}.input"] @ p["word_vectors"][word] + p[f"{name}.bias"]
        h = gru_step(x, h, U, form)
    return h


def decoder_states(p: Tensors, name: str, s: Array, sentence: Sentence, form: str) -> Array:
    """The states from which a decoder predicts each word of a sentence: (words, D).

    Eq. 5 to 8: it has read the words before, and nothing (a vector of zeros) before the first.
    Where it does not see the sentence vector at every step, that is the state it begins with.

    Args:
        p: See the module.
        name: Of the decoder, `previous` or `next`.
        s: The vector of the sentence in the middle.
        sentence: The one that is predicted.
        form: See the module.
    """
    shown: Any = 0.0
    h = s
    if f"{name}.condition" in p:
        shown, h = p[f"{name}.condition"] @ s, np.zeros_like(s)
    read = [np.zeros_like(p["word_vectors"][0]), *(p["word_vectors"][word] for word in sentence)]
    states = []
    for vector in read[:-1]:
        x = p[f"{name}.input"] @ vector + p[f"{name}.bias"] + shown
        h = gru_step(x, h, p[f"{name}.recurrent"], form)
        states.append(h)
    return np.array(states)


def word_log_probabilities(p: Tensors, h: Array) -> Array:
    """The log-probability of every word in a decoder state: (V,).

    Eq. 9, with a bias; or the adaptive softmax of Grave et al. 2017: the head chooses a common word
    or a cluster, the cluster one of its words.
    """
    head = log_softmax(p["output.weight"] @ h + p["output.bias"])
    numbers = [name.removeprefix("output.project") for name in p if "output.project" in name]
    common = len(head) - len(numbers)
    parts = [head[:common]]
    for place, number in enumerate(sorted(numbers, key=int), common):
        small = p[f"output.project{number}"] @ h
        logits = p[f"output.weight{number}"] @ small + p[f"output.bias{number}"]
        parts.append(head[place] + log_softmax(logits))
    return np.concatenate(parts)


def decoder_log_probabilities(
    p: Tensors, name: str, s: Array, sentence: Sentence, form: str
) -> Array:
    """The log-probability of each word of a sentence, the words before being known: (words,)."""
    states = decoder_states(p, name, s, sentence, form)
    pairs = zip(states, sentence, strict=True)
    return np.array([word_log_probabilities(p, h)[word] for h, word in pairs])


def loss(
    p: Tensors, previous: Sentence, middle: Sentence, following: Sentence, form: str
) -> tuple[float, float]:
    """The loss: -log p of the sentence before and of the sentence after (eq. 10)."""
    s = encode(p, middle, form)
    before = decoder_log_probabilities(p, "previous", s, previous, form)
    after = decoder_log_probabilities(p, "next", s, following, form)
    return -float(before.sum()), -float(after.sum())
