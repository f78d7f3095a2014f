"""Triples of sentences, their batches, and the corpus with unknown words that they come from."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentvec.errors import CorpusError, FormatError, PrunedVocabularyWarning
from sentvec.text.encoded import EncodedCorpus, encode_corpus
from sentvec.text.saved_corpus import reopen_corpus, save_corpus
from sentvec.text.sources import open_corpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.training.batches import Position, Schedule
from sentvec.training.triples import Triples

WHITESPACE = Tokenizer("whitespace")
unhurried = settings(deadline=None)


def encoded(folder, source, **options):
    options = {"min_count": 1, "unknown": True, **options}
    return encode_corpus(open_corpus(source), WHITESPACE, folder, **options)


def corpus_of(documents):
    """A corpus in memory whose sentences are of these lengths; word i of it all has the id i."""
    lengths = [length for document in documents for length in document]
    return EncodedCorpus(
        ids=np.arange(sum(lengths), dtype=np.uint32),
        offsets=np.cumsum([0, *lengths]),
        documents=np.cumsum([0, *map(len, documents)]),
        vocabulary=None,
        stats=None,
    )


def plain_middles(documents, max_tokens):
    """The middles, and how many are none for length alone, by looking at each sentence."""
    middles, too_long, number = [], 0, 0
    for document in documents:
        for i in range(len(document)):
            if 0 < i < len(document) - 1:
                fits = all(0 < length <= max_tokens for length in document[i - 1 : i + 2])
                middles += [number] * fits
                too_long += not fits
            number += 1
    return middles, too_long


DOCUMENTS = [[3, 2, 2, 5, 1], [4], [2, 2], [1, 2, 3, 2, 2, 2, 9, 2, 1], [2, 3, 3], [7, 7, 7, 7]]
of_documents = st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=8), min_size=1, max_size=6)


# --- which sentences ----------------------------------------------------------------------------


@unhurried
@given(documents=of_documents, max_tokens=st.integers(1, 6))
def test_middles_stand_within_a_document_and_all_three_are_short_enough(documents, max_tokens):
    triples = Triples.of(corpus_of(documents), 4, max_tokens)
    middles, too_long = plain_middles(documents, max_tokens)
    assert triples.middles.tolist() == middles
    assert triples.too_long == too_long
    lengths = [length for document in documents for length in document]
    assert triples.lengths.tolist() == [lengths[i] for i in middles]


def test_a_sentence_of_max_tokens_is_short_enough_and_of_one_more_is_not():
    for place in range(3):
        lengths = [2, 2, 2]
        lengths[place] = 5
        assert Triples.of(corpus_of([lengths]), 4, 5).middles.tolist() == [1]
        assert Triples.of(corpus_of([lengths]), 4, 4).middles.tolist() == []
        assert Triples.of(corpus_of([lengths]), 4, 4).too_long == 1


def test_windows_of_any_size_find_the_same(monkeypatch):
    expected = Triples.of(corpus_of(DOCUMENTS), 4, 5).middles.tolist()
    assert expected
    for window in range(1, 9):
        monkeypatch.setattr("sentvec.training.triples._WINDOW", window)
        assert Triples.of(corpus_of(DOCUMENTS), 4, 5).middles.tolist() == expected


def test_blank_lines_and_file_ends_are_borders(tmp_path):
    (tmp_path / "1.txt").write_text("a b\nb c\n\nc d\nd e\ne a\n")
    (tmp_path / "2.txt").write_text("b a\na c\n   \n\nc a\nd a\ne a\nb e")
    folder = tmp_path / "encoded"
    folder.mkdir()
    corpus = encoded(folder, [tmp_path / "1.txt", tmp_path / "2.txt"])
    assert corpus.documents.tolist() == [0, 2, 5, 7, 11]
    assert Triples.of(corpus, 4, 5).middles.tolist() == [3, 8, 9]


def test_the_words_of_sentences_come_in_the_order_asked_for():
    triples = Triples.of(corpus_of(DOCUMENTS), 4, 9)
    offsets = triples.offsets
    for chosen in ([3], [0, 1, 2], [8, 2, 2, 17], list(range(len(offsets) - 1))[::-1]):
        ids, lengths = triples.words(np.array(chosen))
        expected = [list(range(offsets[i], offsets[i + 1])) for i in chosen]
        assert ids.tolist() == [word for sentence in expected for word in sentence]
        assert lengths.tolist() == [len(sentence) for sentence in expected]
        assert ids.dtype == np.uint32


# --- in which batches ---------------------------------------------------------------------------


def schedule(epochs=1, seed=1, shuffle=True):
    return Schedule(epochs, 1.0, shuffle, seed, 1)


def go_through(triples, schedule, start=None, stop_after=None):
    """All batches from a position on, and the position after so many of them."""
    dealer, batches, sums = triples.batches(schedule, start=start), [], start or Position()
    while dealer.begin():
        for batch in dealer:
            batches.append(batch)
            dealer.add(batch, 1.0, 1)
            if len(batches) == stop_after:
                return batches, dealer.position()
        sums = dealer.position()
        dealer.next_epoch()
    return batches, sums


def as_numbers(batches):
    return [(b.epoch, b.done, b.sentences.tolist(), b.ids.tolist()) for b in batches]


@unhurried
@given(
    documents=of_documents, size=st.integers(1, 5), shuffle=st.booleans(), seed=st.integers(0, 9)
)
def test_every_epoch_has_every_triple_once_in_batches_of_one_length(
    documents, size, shuffle, seed
):  # fmt: skip
    triples = Triples.of(corpus_of(documents), size, 5)
    if not len(triples.middles):
        return
    batches, end = go_through(triples, schedule(2, seed, shuffle))
    of_length = Counter(triples.lengths.tolist())
    for epoch in (0, 1):
        mine = [batch for batch in batches if batch.epoch == epoch]
        sentences = np.concatenate([batch.sentences for batch in mine])
        assert sorted(sentences.tolist()) == triples.middles.tolist()
        for batch in mine:
            lengths = np.diff(batch.offsets)
            assert len(set(lengths.tolist())) == 1
            ids, expected = triples.words(batch.sentences)
            assert batch.ids.tolist() == ids.tolist()
            assert lengths.tolist() == expected.tolist()
        # all are full but for the last of each length
        sizes = Counter()
        for batch in mine:
            sizes[int(np.diff(batch.offsets)[0]), len(batch.sentences)] += 1
        for length, count in of_length.items():
            assert sizes[length, size] >= count // size
            assert count % size == 0 or sizes[length, count % size] >= 1
        assert len(mine) == sum(-(-count // size) for count in of_length.values())
    words = int(triples.lengths.sum())
    assert triples.batches(schedule()).words == words
    assert end.tokens == 2 * words
    done = np.cumsum([0, *(len(batch.ids) for batch in batches)])
    assert [batch.done for batch in batches] == done[:-1].tolist()


MANY = Triples.of(corpus_of([[1 + (i * 7 + d) % 5 for i in range(40)] for d in range(6)]), 8, 9)


def test_the_order_depends_on_seed_and_epoch_alone():
    batches, _ = go_through(MANY, schedule(3, 5))
    again, _ = go_through(MANY, schedule(3, 5))
    assert as_numbers(batches) == as_numbers(again)
    epochs = [[b.sentences.tolist() for b in batches if b.epoch == epoch] for epoch in range(3)]
    assert epochs[0] != epochs[1] != epochs[2] != epochs[0]
    other, _ = go_through(MANY, schedule(1, 6))
    assert [b.sentences.tolist() for b in other] != epochs[0]
    # also from the middle: an epoch need not have seen those before it
    later, _ = go_through(MANY, schedule(3, 5), Position(epoch=2, tokens=2 * MANY.lengths.sum()))
    assert [b.sentences.tolist() for b in later] == epochs[2]


def test_batches_of_all_lengths_are_mixed_and_so_is_who_is_in_them():
    batches, _ = go_through(MANY, schedule())
    lengths = [len(b.ids) // len(b.sentences) for b in batches]
    assert lengths != sorted(lengths)
    full = [b.sentences for b in batches if len(b.sentences) == 8]
    assert all((np.diff(sentences) < 0).any() for sentences in full)


def test_without_shuffle_batches_go_by_length_and_place():
    batches, _ = go_through(MANY, schedule(shuffle=False))
    lengths = [len(b.ids) // len(b.sentences) for b in batches]
    assert lengths == sorted(lengths)
    assert all((np.diff(b.sentences) > 0).all() for b in batches)


def test_from_every_position_the_rest_is_the_same():
    plan = schedule(2, 3)
    whole, _ = go_through(MANY, plan)
    assert len(whole) > 40
    for stop in range(1, len(whole), 3):
        first, position = go_through(MANY, plan, stop_after=stop)
        rest, _ = go_through(MANY, plan, position)
        assert as_numbers(first + rest) == as_numbers(whole), stop


def test_held_batches_go_on_where_they_stopped():
    plan = schedule()
    dealer, got = MANY.batches(plan), []
    while dealer.begin() and not dealer.epoch_over():
        for number, batch in enumerate(dealer):
            got.append(batch)
            if number == 2:
                dealer.hold()
    assert as_numbers(got) == as_numbers(go_through(MANY, plan)[0])
    assert dealer.next_batch() is None


# --- unknown words that keep their place ---------------------------------------------------------

TEXT = [
    "a b rare1 a", "rare2", "b a c c", "c rare1x b", "", "rare3 rare4", "a", "c b a b rare5",
]  # fmt: skip


def sentences_of(corpus):
    pairs = zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)
    return [corpus.ids[start:end].tolist() for start, end in pairs]


def plain_encoding(lines, vocabulary):
    unknown = len(vocabulary)
    return [[vocabulary.ids.get(word, unknown) for word in line.split()] for line in lines if line]


@pytest.mark.parametrize("kernel", [False, True])
def test_unknown_words_keep_their_place(tmp_path, monkeypatch, kernel):
    if kernel:
        monkeypatch.setattr("sentvec.text.encoded.SMALL_CORPUS_BYTES", 0)
    corpus = encoded(tmp_path, TEXT, min_count=2)
    assert set(corpus.vocabulary) == {"a", "b", "c"}
    assert sentences_of(corpus) == plain_encoding(TEXT, corpus.vocabulary)
    assert corpus.ids.max() == 3
    stats = corpus.stats
    assert (stats.sentences, stats.documents, stats.tokens) == (7, 2, 20)
    assert (stats.known_tokens, stats.rare_tokens, stats.surplus_tokens) == (14, 6, 0)
    assert (stats.empty_sentences, stats.single_sentences) == (2, 1)


@unhurried
@given(
    lines=st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6).map(" ".join), min_size=1),
    min_count=st.integers(1, 4), max_vocab=st.sampled_from([None, 2, 3]),
    window=st.integers(1, 5),
)  # fmt: skip
def test_counts_are_those_of_a_corpus_without_unknown_words(
    tmp_path_factory, lines, min_count, max_vocab, window
):
    options = {"min_count": min_count, "max_vocab": max_vocab}
    folders = [tmp_path_factory.mktemp("corpus") for _ in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sentvec.text.encoded._WINDOW", window)
        try:
            dropped = encoded(folders[0], lines, unknown=False, **options)
        except CorpusError as error:
            with pytest.raises(CorpusError, match=re.escape(str(error))):
                encoded(folders[1], lines, **options)
            return
        corpus = encoded(folders[1], lines, **options)
    assert corpus.stats == dropped.stats
    assert dict(corpus.vocabulary) == dict(dropped.vocabulary)
    unknown = len(corpus.vocabulary)
    without = [[i for i in row if i != unknown] for row in sentences_of(corpus)]
    assert without == sentences_of(dropped)
    assert sentences_of(corpus) == plain_encoding(lines, corpus.vocabulary)
    assert len(corpus.ids) == corpus.stats.tokens


def test_words_above_max_vocab_keep_their_place_too(tmp_path):
    corpus = encoded(tmp_path, TEXT, min_count=2, max_vocab=2)
    assert sentences_of(corpus) == plain_encoding(TEXT, corpus.vocabulary)
    assert (corpus.stats.rare_tokens, corpus.stats.surplus_tokens) == (6, 4)
    assert corpus.stats.known_tokens == 10


def test_words_dropped_for_there_were_too_many_keep_their_place(tmp_path):
    lines = ["a a b", *(f"a w{i} b" for i in range(40)), "a b a"]
    with pytest.warns(PrunedVocabularyWarning):
        corpus = encoded(tmp_path, lines, min_count=2, max_words=8)
    assert dict(corpus.vocabulary) == {"a": 44, "b": 42}
    assert sentences_of(corpus) == plain_encoding(lines, corpus.vocabulary)
    assert corpus.stats.pruned_tokens > 0
    assert corpus.stats.pruned_tokens + corpus.stats.rare_tokens == 40
    assert (corpus.stats.tokens, corpus.stats.known_tokens) == (126, 86)


def test_held_out_text_has_the_ids_of_the_corpus_and_its_own_unknown_words(tmp_path):
    corpus = encoded(tmp_path, TEXT, min_count=2)
    folder = tmp_path / "held-out"
    folder.mkdir()
    lines = ["new a b", "newer", "b rare1 c"]
    held_out = encoded(folder, lines, vocabulary=corpus.vocabulary)
    assert sentences_of(held_out) == plain_encoding(lines, corpus.vocabulary)
    assert (held_out.stats.known_tokens, held_out.stats.empty_sentences) == (4, 1)


def test_a_stored_corpus_is_the_same_opened_again(tmp_path):
    corpus = encoded(tmp_path, TEXT, min_count=2)
    again = reopen_corpus(tmp_path, save_corpus(corpus, tmp_path))
    assert again.stats == corpus.stats
    assert (again.stats.empty_sentences, again.stats.single_sentences) == (2, 1)
    assert sentences_of(again) == sentences_of(corpus)
    assert again.documents.tolist() == corpus.documents.tolist()
    assert dict(again.vocabulary) == dict(corpus.vocabulary)


def test_a_stored_corpus_with_another_count_is_refused(tmp_path):
    checksum = save_corpus(encoded(tmp_path, TEXT, min_count=2), tmp_path)
    state = json.loads((tmp_path / "corpus.json").read_text())
    state["stats"]["empty_sentences"] = 0
    (tmp_path / "corpus.json").write_text(json.dumps(state))
    with pytest.raises(FormatError, match="checksum"):
        reopen_corpus(tmp_path, checksum)
