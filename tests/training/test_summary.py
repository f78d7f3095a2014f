"""The end of a run: what it was trained on, what it was not and why, and whether all was read."""

from __future__ import annotations

import json
import os
from dataclasses import asdict

import pytest

from sentvec import Listener, Sent2Vec, Summary, load, resume
from sentvec.cli.terminal.training_display import summary_lines
from sentvec.errors import SourceChangedWarning
from sentvec.text.sources import Source
from sentvec.training import batches, loop
from support.behaviour import train_sent2vec

# 100 sentences of three known words; what cannot be trained on; and unknown words.
TEXT = (
    "a b c\n" * 97 + "a b rare1 c\n" + "\n \n\n" + "rare2\n" + "rare3 rare4\n" + "a\n" + "rare5 b\n"
    + "spare a spare b spare c\n" * 2
)  # fmt: skip
SETTINGS = {"min_count": 2, "max_vocab": 3, "epochs": 4, "buckets": 100}


class Heard(Listener):
    def __init__(self, stop_at=2.0):
        self.summaries, self.losses, self.stop_at = [], 0, stop_at

    def summary(self, summary):
        self.summaries.append(summary)

    def validation(self, epoch, loss):
        self.losses += 1

    def progress(self, progress):
        if self.stop_at <= progress.done < 1:
            raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    monkeypatch.setattr(batches, "BATCH_TOKENS", 30)
    monkeypatch.setattr(loop, "_REPORT_SECONDS", 0.0001)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def summary_of(corpus, **changes):
    heard = Heard()
    train_sent2vec(corpus, listener=heard, **{**SETTINGS, **changes})
    [summary] = heard.summaries
    return summary


def test_a_run_tells_what_it_was_trained_on_and_what_not(corpus):
    assert summary_of(corpus) == Summary(
        epochs=4,
        sentences=100,
        words=300,
        all_sentences=400,
        all_words=1200,
        predicted=1200,
        skipped={"blank": 3, "no_known_word": 2, "one_known_word": 2},
        unknown={"below_min_count": 5, "above_max_vocab": 6, "too_many_to_count": 0, "other": 0},
        bytes=len(TEXT),
        file_bytes=corpus.stat().st_size,
    )


def test_words_that_are_drawn_not_to_be_predicted_were_trained_on(corpus):
    summary = summary_of(corpus, subsample=1e-3)
    assert summary.predicted < summary.all_words == 1200


def test_it_is_written_down_last_and_in_the_model(corpus, tmp_path):
    summary = summary_of(corpus, output=tmp_path / "model")
    records = (tmp_path / "model" / "metrics.jsonl").read_text().splitlines()
    assert json.loads(records[-1]) == {"event": "summary", **asdict(summary)}
    stats = load(tmp_path / "model").config["corpus"]
    assert stats["bytes"] == stats["file_bytes"] == corpus.stat().st_size
    assert stats["rare_tokens"] + stats["surplus_tokens"] == stats["tokens"] - 302
    assert stats["known_tokens"] == 302


def test_a_run_that_was_resumed_tells_the_same(corpus, tmp_path):
    whole, output, heard = summary_of(corpus), tmp_path / "model", Heard()
    with pytest.raises(KeyboardInterrupt):
        train_sent2vec(corpus, output=output, listener=Heard(0.3), **SETTINGS)
    resume(output, listener=heard)
    assert heard.summaries == [whole]


def test_the_checkpoint_of_an_earlier_version_has_a_summary_too(corpus, tmp_path, monkeypatch):
    whole, output, heard = summary_of(corpus), tmp_path / "model", Heard()
    new = ("file_bytes", "empty_sentences", "single_sentences", "rare_tokens", "surplus_tokens")
    real = asdict

    def old(stats):
        return {name: value for name, value in real(stats).items() if name not in new}

    monkeypatch.setattr("sentvec.text.saved_corpus.asdict", old)
    with pytest.raises(KeyboardInterrupt):
        train_sent2vec(corpus, output=output, listener=Heard(0.3), **SETTINGS)
    resume(output, listener=heard)
    [summary] = heard.summaries
    assert summary.skipped == whole.skipped
    assert (summary.sentences, summary.words) == (whole.sentences, whole.words)
    assert sum(summary.unknown.values()) == summary.unknown["other"] == 11
    assert summary.file_bytes is None
    assert summary_lines(summary)[-1] == f"read        {len(TEXT):,} bytes of text"


def test_a_run_that_held_out_text_ended_tells_its_epochs(corpus):
    heard = Heard()
    held_out = ["c b a"] * 20  # order is all that could be learned
    train_sent2vec(
        corpus, listener=heard, validate=held_out, patience=1, lr=1.0, **{**SETTINGS, "epochs": 60}
    )
    [summary] = heard.summaries
    assert summary.epochs == heard.losses < 60
    assert summary.all_words == heard.losses * 300


def test_words_a_model_to_start_from_has_are_known_however_rare(corpus):
    old = train_sent2vec(["a b c rare1", "rare2 rare3 a b"], epochs=1, buckets=100)
    heard = Heard()
    Sent2Vec.train(
        corpus, init_from=old, listener=heard, min_count=2, max_vocab=6, epochs=1, threads=1
    )
    assert heard.summaries[0].unknown["below_min_count"] == 2  # rare4, rare5
    assert heard.summaries[0].unknown["above_max_vocab"] == 6  # spare: six places were taken


def test_the_summary_in_words(corpus):
    assert summary_lines(summary_of(corpus)) == [
        "trained     100 sentences and 300 words per epoch; 400 sentences and 1,200 words in "
        "4 epochs, 1,200 words predicted",
        "skipped     3 blank lines, 2 sentences without a known word, 2 sentences of one known word",
        "unknown     11 words: 5 seen less than min_count times, 6 beyond max_vocab",
        f"read        the whole text ({len(TEXT)} bytes)",
    ]
    nothing = summary_of(["a b", "b a"] * 5)
    assert [line.split()[0] for line in summary_lines(nothing)] == ["trained", "read"]


def test_a_file_that_changed_while_it_was_read_is_in_the_summary(corpus, monkeypatch):
    held = Source.__init__

    def larger(self, name, blocks, size):
        held(self, name, blocks, lambda: size() + 7)

    monkeypatch.setattr(Source, "__init__", larger)
    with pytest.warns(SourceChangedWarning, match=os.fspath(corpus)):
        summary = summary_of(corpus)
    assert summary_lines(summary)[-1].endswith(
        f"{len(TEXT)} bytes of text, but the files hold {len(TEXT) + 7} now"
    )
