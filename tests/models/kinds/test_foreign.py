"""Models of other programs give what those programs gave; where not, a test says so by its name."""

from __future__ import annotations

import gzip
import json
import pickle
import struct
import threading
import warnings

import numpy as np
import pytest

from sentvec import Sent2Vec, Tokenizer, load
from sentvec.errors import FormatError, LetterCaseWarning, SourceError, UnknownWordError
from sentvec.models.fasttext.model import FastText
from sentvec.models.word_vectors import WordVectors
from sentvec.storage.rows import to_array
from sentvec.text.unicode import decode, encode
from support.binaries import MAGIC, binary, dense, matrix
from support.places import FIXTURES

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # texts without a known word

SENT2VEC = ["bi", "hs", "legacy_v1", "maxvocab", "tri", "uni"]
PYTHON = ["bi", "cwngrams", "hs", "maxvocab", "tri", "uni"]
FASTTEXT = ["ft_cbow", "ft_skipgram", "s2v_skipgram"]
PY_SENTENCES = json.loads((FIXTURES / "py_sentences.json").read_text(encoding="utf-8"))
LINE_BREAK = PY_SENTENCES.index("the\ncat")
PROBE = [decode(line) for line in (FIXTURES / "probe.txt").read_bytes().split(b"\n")]
EMPTY, NUL, END = PROBE.index(""), PROBE.index("the cat\0sees"), PROBE.index("a </s> the cat")


@pytest.fixture(scope="module")
def model():
    """Opens a fixture by its name, once."""
    opened = {}

    def model(name):
        path = FIXTURES / (name if "." in name else f"{name}.bin")
        return opened.setdefault(name, load(path))

    return model


def printed_rows(name, dim):
    """The vectors a program printed, NaN where it could not, and its bytes for each."""
    lines = (FIXTURES / name).read_bytes().split(b"\n")[:-1]
    fields = [line.split()[-dim:] for line in lines]
    return np.array(fields, np.float64), [b"".join(b"%s " % part for part in f) for f in fields]


def assert_printed(vectors, printed):
    """Equal to the five digits, or so near to the edge of the last that float32 noise explains it."""
    magnitude = np.floor(np.log10(np.abs(printed), where=printed != 0, out=np.zeros_like(printed)))
    half_a_digit = 0.5 * 10.0 ** (magnitude - 4)
    noise = 1e-6 * np.abs(vectors).max(axis=1, keepdims=True)
    error = np.abs(vectors.astype(np.float64) - printed)
    assert (error <= half_a_digit + noise).all(), np.argwhere(error > half_a_digit + noise)


def as_printed(vectors):
    return ["".join(f"{value:.5g} " for value in row).encode() for row in vectors.tolist()]


# --- exactness ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PYTHON)
def test_texts_have_the_vectors_of_the_released_python_module(model, name):
    expected = np.load(FIXTURES / f"{name}.pyembed.npy")
    vectors = model(name).encode(PY_SENTENCES)
    assert vectors.dtype == np.float32
    same = np.arange(len(expected)) != LINE_BREAK
    np.testing.assert_allclose(vectors[same], expected[same], rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", SENT2VEC)
def test_lines_have_the_vectors_the_sent2vec_program_printed(model, name):
    rows, text = printed_rows(f"{name}.sentvec.txt", model(name).dim)
    vectors = model(name).encode(PROBE)
    # What the program made of the rest of a line after `</s>`.
    rows, text = np.delete(rows, END + 1, axis=0), text[: END + 1] + text[END + 2 :]
    assert len(rows) == len(vectors) == len(PROBE)
    assert_printed(vectors, rows)
    assert as_printed(vectors) == text  # no digit is off, so far


@pytest.mark.parametrize("name", FASTTEXT)
def test_lines_have_the_vectors_the_fasttext_program_printed(model, name):
    rows, _ = printed_rows(f"{name}.sentvec.txt", model(name).dim)
    vectors = model(name).encode(PROBE)
    same = [index for index in range(len(PROBE)) if index not in (EMPTY, NUL)]
    assert_printed(vectors[same], rows[same])


@pytest.mark.parametrize("name", FASTTEXT)
def test_word_vectors_of_fasttext_are_those_it_printed(model, name):
    rows, _ = printed_rows(f"{name}.wordvec.txt", model(name).dim)
    words = [line.split(b" ")[0] for line in (FIXTURES / f"{name}.wordvec.txt").open("rb")]
    vectors = [model(name).word_vector(decode(word)) for word in words if word.strip()]
    assert_printed(np.array(vectors), rows[: len(vectors)])
    assert "zzz" not in model(name).vocabulary


@pytest.mark.parametrize("name", FASTTEXT)
def test_word_vectors_of_fasttext_are_those_of_its_text_file(model, name):
    assert_vec_file(model(name), FIXTURES / f"{name}.vec")


def assert_vec_file(encoder, path):
    head, *lines = path.read_bytes().split(b"\n")[:-1]
    words = [decode(line.split(b" ")[0]) for line in lines]
    assert words == list(encoder.vocabulary)
    assert head.split() == [b"%d" % len(words), b"%d" % encoder.dim]
    vectors = np.array([encoder.word_vector(word) for word in words])
    assert_printed(vectors, np.array([line.split()[-encoder.dim :] for line in lines], np.float64))
    text = load(path)
    assert isinstance(text, WordVectors)
    assert list(text.vocabulary) == words
    np.testing.assert_allclose(text.input_vectors, vectors, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", PYTHON)
def test_word_rows_are_the_unigram_embeddings_of_the_python_module(model, name):
    expected, encoder = np.load(FIXTURES / f"{name}.pyunigram.npy"), model(name)
    words = list(encoder.vocabulary)
    vectors = np.array([encoder.word_vector(word) for word in words])
    real = [index for index, word in enumerate(words) if word != "</s>"]
    assert len(real) == len(words) - 1
    np.testing.assert_allclose(vectors[real], expected[real], rtol=0, atol=1e-6)
    np.testing.assert_allclose(encoder.encode(words), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.vocab.txt")), ids=lambda path: path.name)
def test_the_vocabulary_is_what_the_program_printed(model, path):
    vocabulary = model(path.name.split(".")[0]).vocabulary
    lines = b"".join(b"%s %d\n" % (encode(word), count) for word, count in vocabulary.items())
    assert lines == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "case"),
    [(name, case) for name, cases in json.loads((FIXTURES / "features.json").read_text()).items()
     for case in cases],
    ids=lambda value: value if isinstance(value, str) else value["text"],
)  # fmt: skip
def test_ids_and_features_are_those_of_the_program(model, name, case):
    encoder = model(name)
    ids = encoder._known_ids(case["text"])
    assert ids == case["ids"]
    rows, _ = encoder._features([ids])
    assert rows.tolist() == case["features"]
    explained = encoder.explain(case["text"])
    assert sorted(f.row for f in explained for _ in range(f.count)) == sorted(case["features"])


HEADERS = json.loads((FIXTURES / "headers.json").read_text(encoding="utf-8"))
FIELDS = {"dim": "dim", "epoch": "epochs", "minCount": "min_count", "neg": "negatives",
          "t": "subsample", "ws": "window", "ntokens": "tokens", "bucket": "buckets"}  # fmt: skip


@pytest.mark.parametrize("name", HEADERS)
def test_the_configuration_tells_the_header(model, name):
    header, config = HEADERS[name], model(name).config
    told = {theirs: config["settings"][ours] for theirs, ours in FIELDS.items()}
    assert told == {theirs: header[theirs] for theirs in FIELDS}
    assert config["sizes"]["vocabulary"] == header["nwords"] == len(model(name).vocabulary)
    assert config["source"]["bytes"] == (FIXTURES / f"{name}.bin").stat().st_size
    assert json.loads(json.dumps(config.to_json())) == config


def test_a_quantised_model_gives_the_vectors_of_its_decoded_matrix(model):
    expected = np.load(FIXTURES / "bi.ftz.derived_sentvec.npy")
    vectors = model("bi.ftz").encode(PROBE)
    expected = np.delete(expected, END + 1, axis=0)
    np.testing.assert_allclose(vectors, expected, rtol=0, atol=1e-6)
    dense = model("bi").similarity_pairwise(model("bi").encode(PROBE), vectors)
    assert dense[[index for index, row in enumerate(expected) if row.any()]].min() > 0.99


def test_neighbors_are_those_of_nnsent(model):
    corpus = (FIXTURES / "corpus.txt").read_text(encoding="utf-8").split("\n")[:-1]
    first, *blocks = (FIXTURES / "bi.nnsent.txt").read_text(encoding="utf-8").split("\n\n")
    number, first = first.split("\n", 1)
    assert number.split()[-1].strip(".") == str(len(corpus))
    queries = (FIXTURES / "nn_query.txt").read_text(encoding="utf-8").split("\n")[:-1]
    for query, block in zip(queries, [first, *blocks], strict=False):
        expected = [line.split(" ", 2) for line in block.strip("\n").split("\n")]
        hits = model("bi").neighbors(query, corpus, 5)
        if query == "zzz":  # the program lists arbitrary lines with a score of 0
            assert {score for score, _, _ in expected} == {"0"}
            assert hits == []
            continue
        assert [hit.index for hit in hits] == [int(index) for _, index, _ in expected]
        assert [hit.text.split() for hit in hits] == [text.split() for _, _, text in expected]
        for hit, (score, _, _) in zip(hits, expected, strict=True):
            assert hit.score == pytest.approx(float(score), abs=2e-6)


@pytest.mark.parametrize("name", [*SENT2VEC, "cwngrams", *FASTTEXT, "bi.ftz"])
def test_other_ways_to_encode_give_the_same(model, name, tmp_path):
    encoder = model(name)
    expected = encoder.encode(PROBE)
    for text, vector in zip(PROBE, expected, strict=True):
        np.testing.assert_allclose(encoder.encode(text), vector, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(encoder.encode(PROBE * 400, threads=2)[-len(PROBE) :], expected)
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress((FIXTURES / name).with_suffix(
        ".ftz" if name.endswith("ftz") else ".bin").read_bytes()))  # fmt: skip
    np.testing.assert_array_equal(load(packed).encode(PROBE), expected)
    travelled = pickle.loads(pickle.dumps(encoder))
    assert type(travelled) is type(encoder)
    np.testing.assert_array_equal(travelled.encode(PROBE), expected)
    assert len(pickle.dumps(encoder)) < 4000


@pytest.mark.parametrize("name", [*SENT2VEC, "cwngrams", *FASTTEXT])
def test_the_shares_of_an_explanation_are_those_of_the_vector(model, name):
    text = "the dog sees the road ."
    features = model(name).explain(text)
    assert sum(feature.share for feature in features) == pytest.approx(1, abs=1e-5)
    assert {"the", "sees", "."} <= {feature.text for feature in features}


def test_few_texts_and_many_have_the_same_vectors_and_read_the_file_as_suits_them(model):
    encoder = model("bi")
    expected = encoder.encode(PROBE)
    assert not encoder._reads_everywhere
    many = encoder.encode(PROBE * 100)
    assert encoder._reads_everywhere
    np.testing.assert_array_equal(many, np.tile(expected, (100, 1)))
    encoder.encode("cat")
    assert encoder.input_vectors.shape == encoder.rows.shape
    assert encoder._reads_everywhere


# --- what differs on purpose --------------------------------------------------------------------


def lines_of(name):
    return [decode(line) for line in (FIXTURES / name).read_bytes().split(b"\n")]


@pytest.mark.parametrize("name", SENT2VEC)
def test_a_line_with_an_end_of_sentence_in_it_has_one_row_as_in_the_python_module(model, name):
    rows, _ = printed_rows(f"{name}.sentvec.txt", model(name).dim)
    assert len(rows) == len(PROBE) + 1  # the program gives the rest of the line a row of its own
    before, after = model(name).encode(["a", "the cat"])
    assert_printed(np.array([before, after]), rows[END : END + 2])
    np.testing.assert_array_equal(model(name).encode("a </s> the cat"), before)


@pytest.mark.parametrize("name", ["bi", "cwngrams", "hs", "maxvocab", "tri", "uni"])
def test_the_byte_ff_is_a_letter_and_ends_no_line(model, name):
    """The program ends a word there, drops the byte that follows, and shifts all later rows."""
    lines = lines_of("probe_ff.txt")[:-1]
    rows, _ = printed_rows(f"{name}.sentvec_ff.txt", model(name).dim)
    assert (len(lines), len(rows)) == (3, 4)
    vectors = model(name).encode(lines)
    assert len(vectors) == 3
    encode_words = model(name).encode
    if name != "cwngrams":  # of which the program prints the word rows only
        # Its rows: "the cat sees the moon" cut at the byte, "the", "cat sees", "the cat".
        assert_printed(encode_words(["the", "the cat"]), rows[[1, 3]])
    np.testing.assert_array_equal(vectors[0], encode_words("the sees the moon"))
    np.testing.assert_array_equal(vectors[1], encode_words("the cat sees"))
    np.testing.assert_array_equal(vectors[2], encode_words("the cat"))


def test_blanks_after_the_last_line_end_are_a_line_of_their_own_and_shift_nothing(model):
    vectors = model("bi").encode(["the cat", "  the moon", "   "])
    assert len(vectors) == 3
    assert not vectors[2].any()
    np.testing.assert_array_equal(vectors[1], model("bi").encode("the moon"))


def test_a_line_break_inside_a_text_is_white_space(model):
    for name in PYTHON:
        expected = np.load(FIXTURES / f"{name}.pyembed.npy")
        vectors = model(name).encode(["the\ncat", "the cat", "the"])
        np.testing.assert_array_equal(vectors[0], vectors[1])
        np.testing.assert_allclose(vectors[2], expected[LINE_BREAK], rtol=0, atol=1e-6)


def test_no_prefix_makes_a_word_a_label(tmp_path, model):
    data = (FIXTURES / "uni.bin").read_bytes()
    old = data.index(b"\0cat\0") + 1  # after the type of the entry before
    (tmp_path / "labels.bin").write_bytes(data[:old] + b"__label__x" + data[old + 3 :])
    changed = load(tmp_path / "labels.bin")
    np.testing.assert_array_equal(changed.encode("__label__x the"), model("uni").encode("cat the"))


@pytest.mark.parametrize("name", ["bi", "tri", "hs", "maxvocab", "uni"])
def test_word_vectors_of_a_sent2vec_model_are_its_rows(model, name):
    """The program mixes in the rows of unrelated n-grams."""
    encoder = model(name)
    rows, _ = printed_rows(f"{name}.wordvec.txt", encoder.dim)
    for word, printed in zip(("cat", "the"), rows, strict=False):
        if word not in encoder.vocabulary:
            continue
        vector = encoder.word_vector(word)
        np.testing.assert_array_equal(vector, encoder.encode(word))
        np.testing.assert_array_equal(
            vector, encoder.rows.take(np.array([encoder.vocabulary.ids[word]]))[0]
        )
        assert np.abs(vector - printed).max() > 1e-3
    with pytest.raises(UnknownWordError):
        encoder.word_vector("zzz")


def test_model_kind_5_follows_the_python_module_and_not_the_program(model):
    """The program leaves out the characters."""
    encoder = model("cwngrams")
    rows, _ = printed_rows("cwngrams.sentvec.txt", encoder.dim)
    rows = np.delete(rows, END + 1, axis=0)
    ids = encoder.vocabulary.ids
    matrix = to_array(encoder.rows)
    for text, printed, vector in zip(PROBE, rows, encoder.encode(PROBE), strict=True):
        known = [ids[word] for word in encoder._tokens(text) if word in ids]
        if known:
            assert_printed(matrix[known].mean(axis=0)[None], printed[None])
            assert np.abs(vector - printed).max() > 1e-3


def test_rows_of_nan_are_rows_of_zeros(model):
    rows, _ = printed_rows("s2v_skipgram.sentvec.txt", 8)
    assert np.isnan(rows[EMPTY]).all()
    assert not model("s2v_skipgram").encode(PROBE)[EMPTY].any()


@pytest.mark.parametrize("kind", [1, 2])
def test_words_without_a_length_have_no_part_in_a_mean_of_fasttext(tmp_path, kind):
    rows = matrix(12)
    rows[2] = 0
    (tmp_path / "file").write_bytes(
        binary(model=kind, version=12, ngrams=1, max_n=0, min_n=0, source=dense(rows))
    )
    encoder = load(tmp_path / "file")
    assert not encoder.word_vector("the").any()
    vectors, known = encoder.encode(["the 文字 the", "文字", "the"], return_known=True)
    np.testing.assert_array_equal(vectors[0], vectors[1])
    assert np.linalg.norm(vectors[0]) == pytest.approx(1)
    assert known.tolist() == [1, 1, 0]


@pytest.mark.parametrize("name", FASTTEXT)
def test_a_nul_separates_words_for_fasttext_models_too(model, name):
    """The sentence command of fastText does not split there, though its training does."""
    rows, _ = printed_rows(f"{name}.sentvec.txt", model(name).dim)
    vectors = model(name).encode(["the cat\0sees", "the cat sees"])
    np.testing.assert_array_equal(vectors[0], vectors[1])
    assert np.abs(vectors[0] - rows[NUL]).max() > 1e-3


def test_the_placeholder_is_a_word_as_in_the_program(model):
    expected = np.load(FIXTURES / "bi.pyembed.npy")[PY_SENTENCES.index("<PLACEHOLDER> cat")]
    np.testing.assert_allclose(model("bi").encode("<PLACEHOLDER> cat"), expected, atol=1e-6)


def test_a_text_without_a_known_word_is_zero_for_supervised_models_too(tmp_path):
    """fastText gives it the vector of the end of the line."""
    path = tmp_path / "model.bin"
    path.write_bytes(binary(model=3, version=12, max_n=0, min_n=0, labels=[(b"__label__a", 1)]))
    encoder = load(path)
    vectors, known = encoder.encode(["", "zzz", "the"], return_known=True)
    assert known.tolist() == [0, 0, 1]
    assert not vectors[:2].any()
    # The word, the end of the line, and the bigram of both.
    rows = [encoder.vocabulary.ids["the"], encoder.vocabulary.ids["</s>"]]
    rows += encoder._word_ngrams(["the", "</s>"])[:1, 0].tolist()
    np.testing.assert_allclose(vectors[2], encoder.input_vectors[rows].mean(axis=0), atol=1e-6)


def test_an_explanation_of_a_supervised_model_has_the_ngrams_of_unknown_words(tmp_path):
    """Words without a row take part in n-grams, as in the vector."""
    path = tmp_path / "model.bin"
    path.write_bytes(binary(model=3, version=12, max_n=0, min_n=0, labels=[(b"__label__a", 1)]))
    encoder = load(path)
    vector = encoder.encode("the zzz 文字").astype(np.float64)
    features = {feature.text: feature for feature in encoder.explain("the zzz 文字")}
    assert set(features) == {"the", "文字", "</s>", "the zzz", "zzz 文字", "文字 </s>"}
    for word in ("the", "文字", "</s>"):
        row = encoder.input_vectors[features[word].row].astype(np.float64)
        assert features[word].share == pytest.approx(row @ vector / 6 / (vector @ vector), abs=1e-6)
    assert sum(feature.share for feature in features.values()) == pytest.approx(1)


# --- the other programs, where their files are --------------------------------------------------


@pytest.mark.parametrize("name", ["crime-and-punishment", "lee_fasttext", "toy-model"])
def test_shared_fasttext_models_have_the_word_vectors_of_their_text(shared, name):
    folder = shared / "fixtures" / "fasttext"
    encoder = load(folder / f"{name}.bin")
    assert isinstance(encoder, FastText)
    assert_vec_file(encoder, folder / f"{name}.vec")


def test_shared_vectors_with_and_without_size_line_and_binary_are_the_same(shared):
    folder = shared / "fixtures" / "word2vec"
    models = [load(folder / f"similarity.{end}") for end in ("bin", "txt", "nodims")]
    words = list(models[0].vocabulary)
    assert len(words) == 41
    for encoder in models:
        assert isinstance(encoder, WordVectors)
        assert list(encoder.vocabulary) == words
        np.testing.assert_allclose(
            encoder.encode([" ".join(words), *words]), models[0].encode([" ".join(words), *words]),
            rtol=0, atol=1e-5,
        )  # fmt: skip
        np.testing.assert_allclose(encoder.encode(words), to_array(encoder.rows), atol=1e-6)


def test_shared_words_that_are_not_utf8_are_found_by_their_bytes(shared):
    folder = shared / "fixtures" / "word2vec"
    for end in ("bin", "dims", "txt"):
        encoder = load(folder / f"utf8-incomplete.{end}")
        word = list(encoder.vocabulary)[1]
        with pytest.raises(UnicodeDecodeError):
            encode(word).decode()
        expected = encoder.input_vectors[[1, 2]].mean(axis=0)
        text = encode(f"{word} rivieren")
        np.testing.assert_allclose(encoder.encode(decode(text)), expected, atol=1e-6)


NO_MODELS = {
    "w2v_keyedvectors_load_test.vocab": "is not a model",  # a list of counts
    "pretrained.vec": "the size line says 3 words, the file has 1",
}


def test_every_shared_model_opens_and_encodes_its_own_words(shared):
    folders = [shared / "fixtures" / name for name in ("fasttext", "word2vec")]
    files = [path for folder in folders for path in sorted(folder.iterdir())]
    opened = 0
    for path in files:
        if path.name in NO_MODELS:
            with pytest.raises(FormatError, match=NO_MODELS[path.name]):
                load(path)
            continue
        encoder = load(path)
        words = list(encoder.vocabulary)
        vectors, known = encoder.encode(words, return_known=True)
        assert vectors.shape == (len(words), encoder.dim)
        assert np.isfinite(vectors).all()
        assert known.sum() >= len(words) - 2
        opened += 1
    assert opened >= 20


# --- warnings -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("default")
def test_capitals_that_cost_words_are_said_once_for_a_model():
    encoder = load(FIXTURES / "bi.bin")
    with pytest.warns(
        LetterCaseWarning, match=r"5 of 5 words are unknown, .* lower case \('THE'\)"
    ):
        encoder.encode("THE CAT SEES THE MOON", on_empty="nan")
    for quiet in (encoder, load(FIXTURES / "bi.bin", tokenizer="simple")):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            quiet.encode("THE CAT SEES THE MOON", on_empty="nan")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", ["Cat Sees", "the cat sees the moon QQQ ZZZ XXX YYY WWW"])
def test_few_capitals_or_words_unknown_in_any_case_are_not_worth_a_warning(text):
    load(FIXTURES / "bi.bin").encode([text, "the cat sees"], on_empty="nan")


# --- errors at the door -------------------------------------------------------------------------


def test_what_is_no_model_is_an_error_that_names_it(tmp_path):
    with pytest.raises(SourceError, match="absent"):
        load(tmp_path / "absent")
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(FormatError, match="empty"):
        load(tmp_path / "empty")
    with pytest.raises(FormatError, match="not a model folder"):
        load(tmp_path)
    (tmp_path / "magic").write_bytes(struct.pack("<i", MAGIC))
    with pytest.raises(FormatError, match=r"magic ends at byte 4, expected version from byte 4"):
        load(tmp_path / "magic")
    with pytest.raises(FormatError):
        load("/dev/null")


def test_what_is_no_path_is_an_error_that_says_so():
    with pytest.raises(SourceError, match=r"'a\\x00b' is not a path"):
        load("a\0b")


def test_the_vocabulary_is_read_once_whatever_the_threads(model, monkeypatch):
    """Before Python 3.12 a lock sees to that, since then nothing does."""
    encoder, readers = load(FIXTURES / "bi.bin"), []
    read = encoder._read_vocabulary
    monkeypatch.setattr(
        encoder, "_read_vocabulary", lambda: (readers.append(threading.current_thread()), read())[1]
    )
    encoder.encode(["the cat"] * 9000, threads=3)
    assert readers == [threading.main_thread()]


def test_a_truncated_model_is_refused_where_the_program_answered_from_other_memory(tmp_path):
    data = (FIXTURES / "bi.bin").read_bytes()
    (tmp_path / "short.bin").write_bytes(data[: len(data) // 2])
    with pytest.raises(FormatError, match=r"short\.bin ends at byte 22,651, expected"):
        load(tmp_path / "short.bin")


def test_a_model_that_was_replaced_is_not_unpickled(tmp_path):
    path = tmp_path / "model.bin"
    path.write_bytes((FIXTURES / "uni.bin").read_bytes())
    state = pickle.dumps(load(path, tokenizer="simple"))
    assert pickle.loads(state).tokenizer.name == "simple"
    path.write_bytes((FIXTURES / "bi.bin").read_bytes())
    with pytest.raises(FormatError, match="replaced"):
        pickle.loads(state)


@pytest.mark.parametrize("how", ["load", "set"])
@pytest.mark.parametrize("source", ["file", "folder"])
def test_a_tokenizer_that_was_chosen_goes_where_the_model_goes(tmp_path, source, how):
    path = FIXTURES / "bi.bin"
    if source == "folder":
        load(path).save(tmp_path / "folder")
        path = tmp_path / "folder"
    encoder = load(path, tokenizer="simple" if how == "load" else None)
    if how == "set":
        encoder.tokenizer = Tokenizer("simple")
    encoder.save(tmp_path / "saved")
    for other in (load(tmp_path / "saved"), pickle.loads(pickle.dumps(encoder))):
        assert other.tokenizer == Tokenizer("simple")
        assert other.config["tokenizer"] == Tokenizer("simple").to_config()
        assert other.config["settings"]["tokenizer"] == "simple"
        np.testing.assert_array_equal(other.encode("The Cat!"), encoder.encode("The Cat!"))
    assert load(path).tokenizer == Tokenizer("whitespace")


def test_a_file_without_the_buckets_its_ngrams_need_is_refused(tmp_path):
    (tmp_path / "model").write_bytes(binary(buckets=0))
    with pytest.raises(FormatError, match="buckets for n-grams of 2 words"):
        load(tmp_path / "model")


def test_kinds_are_told_by_content(model):
    assert isinstance(model("bi"), Sent2Vec)
    assert isinstance(model("cwngrams"), FastText)
    assert isinstance(model("ft_cbow.vec"), WordVectors)
