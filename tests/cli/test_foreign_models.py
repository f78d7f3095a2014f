"""Commands on models of other programs: info, encode, convert, train --init-from."""

from __future__ import annotations

import mmap
import os
import re

import numpy as np
import pytest

from sentvec import load
from sentvec.cli.commands.info import _WORD_BYTES
from sentvec.models.convert import convert
from sentvec.text.unicode import decode
from support import program
from support.places import FIXTURES

PROBE = [decode(line) for line in (FIXTURES / "probe.txt").read_bytes().split(b"\n")]
BI = FIXTURES / "bi.bin"


def run(*args, status=0, **kwargs):
    """Run a command; returns what it printed and what it said."""
    result = program.run(*args, **kwargs)
    assert result.returncode == status, result.err
    if status:
        [line] = result.err.splitlines()
        assert line.startswith("error: ")
    return result.stdout, result.err


def info(*args):
    out, _ = run("info", *args)
    return dict(line.split(None, 1) for line in out.decode("utf-8", "surrogateescape").splitlines())


# --- info ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "model", "vectors", "ngrams"),
    [
        ("bi.bin", "sent2vec, from bi.bin: Sent2Vec v11", "float32, dim 16",
         "words up to 2, in 500 buckets"),
        ("bi.ftz", "sent2vec, from bi.ftz: Sent2Vec v11, quantised", "product quantisation, dim 16",
         "words up to 2, in 500 buckets"),
        ("legacy_v1.bin", "sent2vec, from legacy_v1.bin: Sent2Vec 2017 (no magic)",
         "float32, dim 8", "words up to 2, in 200 buckets"),
        ("cwngrams.bin", "fasttext, from cwngrams.bin: Sent2Vec v11", "float32, dim 8",
         "words up to 2 and characters 3 to 6, in 250 buckets"),
        ("ft_skipgram.bin", "fasttext, from ft_skipgram.bin: fastText v12", "float32, dim 12",
         "characters 3 to 6, in 200 buckets"),
        ("ft_cbow.vec",
         "word-vectors, from ft_cbow.vec: word vectors as text with size line (fastText .vec)",
         "float32, dim 12", "none"),
    ],
)  # fmt: skip
def test_info_tells_what_a_file_is(name, model, vectors, ngrams):
    lines, encoder = info(FIXTURES / name), load(FIXTURES / name)
    assert (lines["model"], lines["vectors"], lines["n-grams"]) == (model, vectors, ngrams)
    words = list(encoder.vocabulary)
    assert lines["vocabulary"] == f"{len(words)} words: {', '.join(words[:10])}, ..."
    assert lines["tokenizer"] == "name=whitespace, lowercase=False"
    assert lines["case"].startswith("mixed case (")
    assert f"about {len(words) * _WORD_BYTES / 1e3:.1f} KB" in lines["size"]
    settings = encoder.config["settings"]
    assert f"dim={settings['dim']}" in lines["settings"]


def test_info_of_a_converted_model_tells_where_it_came_from(tmp_path):
    load(BI).save(tmp_path / "folder")
    lines = info(tmp_path / "folder")
    assert lines["model"] == "sent2vec, from bi.bin: Sent2Vec v11"
    assert info(BI)["settings"] == lines["settings"]


def test_info_tells_what_encoding_takes(tmp_path):
    """Pages of the rows there are, but for a text, which is read whole."""
    page, dim = mmap.PAGESIZE, 16
    said = {}
    for dtype, width in (("float32", 4 * dim), ("float16", 2 * dim), ("int8", dim)):
        convert(load(BI), tmp_path / dtype, dtype=dtype)
        said[dtype] = (info(tmp_path / dtype)["size"], 39 * (width + page - 1))
    said["bi.bin"] = (info(BI)["size"], 39 * (4 * dim + page - 1))
    skip_gram = load(FIXTURES / "ft_skipgram.bin")
    words = skip_gram.vocabulary.words[::5]
    rows = sum(len(skip_gram._rows_of_word(word)) for word in words) * 20 // len(words)
    assert rows > 100  # a word has rows for its characters
    said["characters"] = (info(FIXTURES / "ft_skipgram.bin")["size"], rows * (48 + page - 1))
    for size, expected in said.values():
        read = re.search(r"the rows it needs, ([\d.]+) KB for a sentence of 20 words", size)
        assert float(read[1]) * 1e3 == pytest.approx(expected, rel=0.06)
    text = info(FIXTURES / "ft_cbow.vec")["size"]
    assert f"read whole on every load, {93 * 12 * 4 / 1e3:.1f} KB beside the vocabulary" in text
    assert "mapped" not in text


def test_info_lists_labels_and_lower_case(shared):
    lines = info(shared / "fixtures" / "fasttext" / "pang_lee_polarity_fasttext.bin")
    assert lines["labels"] == "__label__pos, __label__neg"
    lower_case = "lower case (100.0 % of the words are lower-case)"
    assert lines["case"].startswith(f"{lower_case}; the tokenizer keeps capitals: ")
    path = shared / "fixtures" / "fasttext" / "pang_lee_polarity_fasttext.bin"
    lines = info(path, "--tokenizer", "simple")
    assert lines["tokenizer"] == "name=simple, lowercase=True"
    assert lines["case"] == lower_case


# --- encode -------------------------------------------------------------------------------------


def test_encode_reads_a_file_of_another_program(tmp_path):
    _, said = run("encode", BI, FIXTURES / "probe.txt", "-o", tmp_path / "out.npy")
    assert "23 rows" in said
    expected = np.nan_to_num(load(BI).encode(PROBE, on_empty="nan"))
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), expected)


def test_the_tokenizer_of_a_file_can_be_chosen():
    text = b"The Cat, sees!\n"
    plain, _ = run("encode", BI, input=text)
    simple, _ = run("encode", BI, "--tokenizer", "simple", input=text)
    expected, _ = run("encode", BI, input=b"the cat , sees !\n")
    assert simple == expected != plain
    run("encode", BI, "--tokenizer", "nosuch", status=1, input=text)


def test_capitals_that_cost_words_are_said_once():
    text = b"THE CAT SEES THE MOON\n" * 20_000  # of several blocks
    _, said = run("encode", BI, "-o", os.devnull, input=text)
    warnings = [line for line in said.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 1
    assert re.search(r"5\d\d of 500 words are unknown, but known in lower case \('THE'\)", said)
    _, said = run("encode", BI, "--tokenizer", "simple", "-o", os.devnull, input=text[:100])
    assert "lower" not in said


def test_neighbors_and_similarity_take_any_file(shared):
    glove = shared / "fixtures" / "word2vec" / "test_glove.txt"
    out, _ = run("neighbors", FIXTURES / "bi.ftz", FIXTURES / "corpus.txt", "--query", "the cat")
    assert len(out.splitlines()) >= 5
    run("neighbors", glove, FIXTURES / "corpus.txt", "--query", "the of")


# --- convert ------------------------------------------------------------------------------------


def converted(*args, **kwargs):
    """Convert the bigram model; returns what was said of the size and of the loss."""
    out, said = run("convert", BI, *args, **kwargs)
    assert out == b""
    size, loss, *_ = [line for line in said.splitlines() if not line.startswith("warning")]
    return size, loss


def test_convert_to_a_folder_loses_nothing(tmp_path):
    size, loss = converted(tmp_path / "folder")
    assert re.search(r"folder: [\d.]+ KB, \d+% of .*bi\.bin \(45\.3 KB\); 92 of 92 words", size)
    assert loss == (
        "cosine to the original: mean 1.000000, lowest 1.000000, over 91 words of the vocabulary"
    )
    np.testing.assert_array_equal(load(tmp_path / "folder").encode("cat"), load(BI).encode("cat"))


def test_convert_to_fewer_bits_prints_the_loss_on_the_sample(tmp_path):
    corpus = FIXTURES / "corpus.txt"
    for dtype in ("float16", "int8"):
        _, loss = converted(tmp_path / dtype, "--dtype", dtype, "--no-targets", "--sample", corpus)
        mean, lowest = map(float, re.findall(r"[01]\.\d{6}", loss))
        assert 0.999 < lowest <= mean <= 1
        assert loss.endswith(f"over 153 lines of {corpus}")
        assert set(load(tmp_path / dtype).tensors) <= {"input_vectors", "input_scales"}


def test_convert_prunes_to_the_words_of_a_text(tmp_path):
    size, loss = converted(tmp_path / "few", "--prune", FIXTURES / "nn_query.txt")
    assert size.endswith("7 of 92 words")
    assert float(re.findall(r"[01]\.\d{6}", loss)[0]) < 0.1
    few = load(tmp_path / "few")
    np.testing.assert_allclose(few.encode("not good"), load(BI).encode("not good"), atol=1e-6)


def test_convert_to_files_of_other_programs(tmp_path):
    size, _ = converted(tmp_path / "out.bin", "--to", "sent2vec", "--max-vocab", "40")
    assert size.endswith("40 of 92 words")
    assert load(tmp_path / "out.bin").config["source"]["layout"] == "Sent2Vec v11"
    converted(tmp_path / "zeros.bin", "--to", "sent2vec", "--no-targets")
    assert not load(tmp_path / "zeros.bin").tensors["output_vectors"].any()
    for to in ("word2vec", "word2vec-text"):
        converted(tmp_path / to, "--to", to)
        words = load(tmp_path / to)
        assert words.config["model"] == "word-vectors"
        np.testing.assert_array_equal(words.word_vector("cat"), load(BI).word_vector("cat"))


def test_convert_keeps_the_tokenizer_that_is_chosen(tmp_path):
    converted(tmp_path / "folder", "--tokenizer", "simple")
    assert load(tmp_path / "folder").tokenizer.name == "simple"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--max-vocab", "0"], "max_vocab is 0 - expected a whole number from 1"),
        (["--max-vocab", "3", "--prune", FIXTURES / "nn_query.txt"], "choose one of them"),
        (
            ["--to", "sent2vec", "--prune", FIXTURES / "nn_query.txt"],
            "keeps only the most frequent words - give --max-vocab instead",
        ),
        (["--to", "sent2vec", "--dtype", "int8"], "a file of sent2vec holds float32"),
        (["--to", "word2vec", "--dtype", "float16"], "a file of word2vec holds float32"),
        (["--dtype", "int4"], "expected float32, float16, int8"),
        (["--prune", os.devnull], "none of the words to keep"),
        (["--prune", "no/such/file"], "file not found: no/such/file"),
        (["--sample", "no/such/file"], "file not found: no/such/file"),
    ],
)
def test_convert_refuses_what_cannot_work(tmp_path, args, message):
    _, said = run("convert", BI, tmp_path / "out", *args, status=1)
    assert message in said
    assert not list(tmp_path.iterdir())


def test_convert_does_not_put_a_part_of_a_model_in_its_place(tmp_path):
    path = tmp_path / "model.bin"
    path.write_bytes(BI.read_bytes())
    (tmp_path / "link").symlink_to(path)
    for target, to in ((path, "word2vec"), (tmp_path / "link", "sent2vec")):
        _, said = run("convert", path, target, "--to", to, status=1)
        assert "is the model itself, which would be lost - name another place" in said
    assert path.read_bytes() == BI.read_bytes()


def test_the_loss_of_a_folder_with_a_chosen_tokenizer_is_that_of_the_conversion(tmp_path):
    load(BI).save(tmp_path / "folder")
    _, said = run("convert", tmp_path / "folder", tmp_path / "new", "--tokenizer", "simple")
    assert "mean 1.000000, lowest 1.000000" in said
    assert load(tmp_path / "new").tokenizer.name == "simple"
    assert info(tmp_path / "folder", "--tokenizer", "simple")["tokenizer"].startswith("name=simple")


def test_words_alone_are_not_said_to_lose_nothing(tmp_path):
    _, said = run("convert", BI, tmp_path / "words", "--to", "word2vec")
    assert "measure with --sample TEXT what sentences lose without n-grams" in said
    _, said = run("convert", BI, tmp_path / "words", "--to", "word2vec",
                  "--sample", FIXTURES / "corpus.txt")  # fmt: skip
    assert "--sample TEXT" not in said
    assert float(re.findall(r"[01]\.\d{6}", said)[1]) < 0.999


@pytest.mark.parametrize("name", ["uni.bin", "ft_cbow.vec"])
def test_models_of_words_alone_are_not_said_to_lose_ngrams(tmp_path, name):
    _, said = run("convert", FIXTURES / name, tmp_path / "words", "--to", "word2vec")
    assert "mean 1.000000, lowest 1.000000" in said
    assert "n-grams" not in said


def test_convert_leaves_alone_what_is_no_model(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    _, said = run("convert", BI, tmp_path, status=1)
    assert "not a model" in said or "no model" in said, said
    _, said = run("convert", BI, tmp_path / "thesis.txt", status=1)
    run("convert", BI, tmp_path, "--to", "word2vec", status=1)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    assert (tmp_path / "thesis.txt").read_text() == "years of work"
    _, said = run("convert", tmp_path / "absent", tmp_path / "out", status=1)
    assert "no model at" in said
    (tmp_path / "cut.bin").write_bytes(BI.read_bytes()[:9999])
    _, said = run("convert", tmp_path / "cut.bin", tmp_path / "out", status=1)
    assert "cut.bin ends at byte 9,999, expected the input matrix from byte" in said


def test_a_file_the_disk_does_not_take_leaves_nothing(tmp_path):
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))"
    for to in ("folder", "sent2vec", "word2vec"):
        run("convert", BI, tmp_path / "out", "--to", to, status=1, before=limit)
        assert not list(tmp_path.iterdir())


# --- training -----------------------------------------------------------------------------------


def test_training_starts_from_a_file_of_the_released_program(tmp_path):
    run("train", "sent2vec", FIXTURES / "corpus.txt", "-o", tmp_path / "new", "--init-from", BI,
        "--epochs", "1", "--threads", "1", "--min-count", "1", "--quiet")  # fmt: skip
    new = load(tmp_path / "new")
    assert new.dim == 16
    assert list(new.vocabulary)[:92] == list(load(BI).vocabulary)
    _, said = run("train", "sent2vec", FIXTURES / "corpus.txt", "-o", tmp_path / "other",
                  "--init-from", FIXTURES / "ft_cbow.bin", "--quiet", status=1)  # fmt: skip
    assert "init_from is a model of kind 'fasttext'" in said
