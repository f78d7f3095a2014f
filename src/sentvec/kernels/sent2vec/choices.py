"""What Sent2Vec draws at random: negatives, dropped n-grams, dropped positions.

An n-gram of the sentence is known by its number i * width + j: it starts at position i and has
j + 2 words (width = ngrams - 1). `mark[gram] == stamp` says that it is excluded for the current
target; a new stamp clears all marks at once.
"""

from __future__ import annotations

import numpy as np

from sentvec.kernels.jit import helper
from sentvec.kernels.random import below, uniform

NEAREST = 1024


@helper
def draw_negatives(n, avoid, alias_keep, alias_other, rng, drawn, same):
    """Draw words from q_n by the alias method into drawn[1..n], never `avoid`.

    same[k] is the place where the word was drawn before, -1 if it was not.
    """
    for k in range(1, n + 1):
        word = np.int64(avoid)
        while word == avoid or word < 0:
            word = below(rng, len(alias_keep))
            if uniform(rng) >= alias_keep[word]:
                word = np.int64(alias_other[word])
        drawn[k], same[k] = word, -1
        for j in range(1, k):
            if drawn[j] == word:
                same[k] = j


@helper
def exclude_touching(position, n, width, excluded, n_excluded, mark, stamp):
    """Exclude the n-grams that touch a position and are not excluded yet."""
    for j in range(width):
        for start in range(max(0, position - j - 1), min(position, n - j - 2) + 1):
            gram = start * width + j
            if mark[gram] != stamp:
                mark[gram] = stamp
                excluded[n_excluded] = n + gram
                n_excluded += 1
    return n_excluded


@helper
def drop_ngrams(t, n, width, n_grams, drop, excluded, n_excluded, stamp, scratch):
    """Exclude `drop` random n-grams that do not touch the target t, or all if there are fewer.

    A partial Fisher-Yates shuffle of the deck. Its cards lie in the order of the last deal, which
    is as good as any. In a line of many sentences, which has more than NEAREST n-grams, they are
    drawn from the NEAREST around the target: each is left out as often as before, and the rows that
    are read stay in the caches.
    """
    deck, mark, rng = scratch.deck, scratch.mark, scratch.rng
    if n_grams > NEAREST and 2 * drop <= NEAREST:
        first = min(max(t * width - NEAREST // 2, 0), n_grams - NEAREST)
        while drop > 0:
            gram = deck[first + below(rng, NEAREST)]
            if mark[gram] != stamp:
                mark[gram] = stamp
                excluded[n_excluded] = n + gram
                n_excluded += 1
                drop -= 1
        return n_excluded
    dealt = 0
    while drop > 0 and dealt < n_grams:
        pick = dealt + below(rng, n_grams - dealt)
        gram = deck[pick]
        deck[pick] = deck[dealt]
        deck[dealt] = gram
        dealt += 1
        if mark[gram] != stamp:
            excluded[n_excluded] = n + gram
            n_excluded += 1
            drop -= 1
    return n_excluded


@helper
def drop_positions(n, width, drop, excluded, n_excluded, stamp, scratch):
    """The released program's dropout: exclude all n-grams that touch `drop` random positions.

    At least two positions stay.
    """
    places, mark, rng = scratch.places, scratch.mark, scratch.rng
    marked = 0
    while marked < drop and n - marked > 2:
        position = below(rng, n)
        if places[position] != stamp:
            places[position] = stamp
            marked += 1
            n_excluded = exclude_touching(position, n, width, excluded, n_excluded, mark, stamp)
    return n_excluded


@helper
def extra_rows(target, width, placeholder_grams, placeholder, places, stamp, extra):
    """The placeholder's row, and the n-grams it forms that touch no dropped position."""
    extra[0] = placeholder
    n_extra, column = 1, 0
    for order in range(2, width + 2):
        for before in range(order):
            row = placeholder_grams[target, column]
            column += 1
            if row < 0:
                continue
            whole = True
            for position in range(target - before, target - before + order):
                whole = whole and places[position] != stamp
            if whole:
                extra[n_extra] = row
                n_extra += 1
    return n_extra
