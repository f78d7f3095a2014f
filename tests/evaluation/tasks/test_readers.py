"""Reading: every trap of the released sets, in files made here."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from sentvec.errors import FormatError, SourceError
from sentvec.evaluation.tasks.captions import load_ranking
from sentvec.evaluation.tasks.data import Captioned, Labelled, LabelledPairs, Pairs, join_pairs
from sentvec.evaluation.tasks.readers import load_task
from sentvec.evaluation.tasks.suites import TASKS
from support.evaluation_trees import MSRP_HEADER, flat_tree, senteval_tree, write, write_images


@pytest.fixture
def root(tmp_path):
    return senteval_tree(tmp_path / "downstream")


def load(root, name, *, lowercase=False, **options):
    return load_task(TASKS[name], root, lowercase=lowercase, **options)


def read_back(root, name, file, content):
    """Load a task with one of its files replaced."""
    write(root, {file: content})
    return load(root, name)


# --- every kind ---------------------------------------------------------------------------------


def test_each_task_gives_the_parts_of_its_kind(root):
    kinds = {
        "similarity": Pairs,
        "classification": Labelled,
        "pair classification": LabelledPairs,
        "relatedness": LabelledPairs,
        "ranking": Captioned,
    }
    for name, task in TASKS.items():
        data = load(root, name)
        assert data.task is task
        assert all(isinstance(part, kinds[task.kind]) for part in data.parts.values())
        assert set(data.parts) == set(data.counts) == {file.part for file in task.files}
        for part in data.parts.values():
            labels = getattr(part, "labels", None)
            if labels is not None:
                assert labels.dtype == (np.float64 if task.kind == "relatedness" else np.int64)


def test_the_checksum_of_every_file_used_is_kept(root):
    data = load(root, "STS13")
    assert len(data.files) == 6
    for name, checksum in data.files.items():
        content = (root / name).read_bytes()
        assert checksum == hashlib.blake2b(content, digest_size=16).hexdigest()
    features = "COCO/dev_ims.npy"
    content = (root / features).read_bytes()
    expected = hashlib.blake2b(content, digest_size=16).hexdigest()
    assert load(root, "COCO").files[features] == expected


def test_lowercase_reaches_every_text_and_nothing_else(root):
    for name in TASKS:
        as_written, lower = load(root, name), load(root, name, lowercase=True)
        assert repr(lower.parts).lower() == repr(as_written.parts).lower()
        assert lower.files == as_written.files
        assert lower.remarks == as_written.remarks
    assert load(root, "MR", lowercase=True).parts["all"].texts[0].startswith("a warm")


# --- single sentences ---------------------------------------------------------------------------


def test_a_line_ends_at_a_line_feed_and_nowhere_else(root):
    texts = load(root, "MR").parts["all"].texts
    assert texts[:2] == ["A warm film \x85 truly .", "clich\u00e9 free"]


def test_encodings_are_told_from_the_bytes_of_each_file(root):
    data = load(root, "MR")
    assert data.parts["all"].texts[3] == "a caf\u00e9 bore"  # UTF-8, a byte order mark, CRLF
    assert data.parts["all"].texts[4] == "no plot"
    assert "MR/rt-polarity.pos is latin-1" in data.remarks
    assert not any("neg is latin-1" in remark for remark in data.remarks)
    assert load(root, "TREC").parts["train"].texts[1] == "What film : the sister\u00f0city ?"


def test_quotation_marks_are_text(root):
    assert load(root, "MR").parts["all"].texts[2] == '"quoted" tale'
    pairs = load(root, "MSRP").parts["train"]
    assert pairs.left == ['"He said so .', "Caf\u00e9s close ."]
    assert pairs.right == ['The Treasury\x12s "plan .', "It rains ."]
    assert load(root, "STSB").parts["train"].left[0] == 'An "odd mark'


def test_classes_of_two_files(root):
    assert load(root, "MPQA").parts["all"].labels.tolist() == [1, 1, 0, 0, 0]
    subj = load(root, "SUBJ").parts["all"]
    assert dict(zip(subj.texts, subj.labels.tolist(), strict=True)) == {
        "he leaves town": 1, "she stays": 1, "a na\u00efve charm": 0,
    }  # fmt: skip


def test_blank_sentences_stay_unless_they_are_to_go(root, tmp_path):
    data = load(root, "CR")
    assert data.parts["all"].texts == ["it works", "", "good zoom", "", "it broke", ""]
    assert data.counts == {"all": 6}
    assert "blank sentences, kept: 3" in data.remarks
    flat = flat_tree(tmp_path / "flat")
    assert load(flat, "CR").parts["all"].texts == data.parts["all"].texts

    dropped = load(root, "CR", drop_blank=True)
    assert dropped.parts["all"].texts == ["it works", "good zoom", "it broke"]
    assert dropped.parts["all"].labels.tolist() == [1, 1, 0]
    assert dropped.counts == {"all": 3}
    assert "blank sentences, dropped: 3" in dropped.remarks


def test_pairs_with_a_blank_sentence_always_stay(root):
    write(
        root,
        {
            "SICK/SICK_trial.txt": (root / "SICK/SICK_trial.txt").read_bytes()
            + b"5\t\tB\t2\tNEUTRAL\n"
        },
    )
    data = load(root, "SICK", drop_blank=True)
    assert data.parts["dev"].left == ["A cat", ""]
    assert "pairs with a blank sentence, kept: 1" in data.remarks


def test_trec_has_its_coarse_class_and_the_question_as_it_stands(root):
    train = load(root, "TREC").parts["train"]
    assert train.texts[0] == "How far  is `` it '' ?"
    classes = TASKS["TREC"].classes
    assert [classes[label] for label in train.labels] == ["NUM", "ENTY", "ABBR", "HUM"]
    assert load(root, "TREC").parts["test"].texts == ["What is it ?", "Where ?"]


def test_treebank_sets_have_their_label_before_or_behind(root):
    two, five = load(root, "SST2").parts["train"], load(root, "SST5").parts["train"]
    assert two.texts == ["a \u201cfine\u201d one", "bad"]
    assert two.labels.tolist() == [1, 0]
    assert five.texts == ["great\u00a0stuff , 5 of 5", "awful", "so so"]
    assert five.labels.tolist() == [4, 0, 2]


def test_the_escapes_of_sentevals_script_are_remarked_on(root):
    content = b"clichM-is abound\nplain\nand M-^E so on\n"
    data = read_back(root, "MR", "MR/rt-polarity.pos", content)
    assert any(remark.endswith("script leaves: 2") for remark in data.remarks)
    assert data.parts["all"].texts[0] == "clichM-is abound"
    assert any(
        remark.endswith("script leaves: 2") for remark in load(root, "MR", lowercase=True).remarks
    )
    # in TREC the same letters are a word
    content = b"ENTY:other What runs on IBM-compatible machines ?\n"
    data = read_back(root, "TREC", "TREC/train_5500.label", content)
    assert not any("escapes" in remark for remark in data.remarks)


# --- pairs --------------------------------------------------------------------------------------


def test_msrp_and_sick_have_their_columns(root):
    assert load(root, "MSRP").parts["train"].labels.tolist() == [1, 0]
    relatedness, entailment = load(root, "SICK-R"), load(root, "SICK-E")
    assert relatedness.parts["train"].labels.tolist() == [4.9, 3.0]
    assert relatedness.parts["test"].labels.tolist() == [5.0]  # CRLF, no decimals
    names = TASKS["SICK-E"].classes
    assert [names[label] for label in entailment.parts["train"].labels] == [
        "ENTAILMENT",
        "CONTRADICTION",
    ]
    assert entailment.parts["test"].left == ["A boy eats"]


def test_the_parts_of_sick_join_to_the_sets_of_the_paper(root):
    data = load(root, "SICK")
    sets = {
        name: join_pairs(name, [data.parts[part] for part in parts])
        for name, parts in data.task.unions.items()
    }
    assert sets["all"].gold.tolist() == [4.9, 3.0, 1.0, 5.0]
    assert sets["test + train"].gold.tolist() == [5.0, 4.9, 3.0]
    assert sets["test + train"].left == ["A boy eats", "A dog runs", "A man sits"]


def test_pairs_without_a_score_are_left_out_and_counted(root):
    data = load(root, "STS15")
    belief = data.parts["belief"]
    assert (belief.name, belief.left, belief.right) == (
        "belief",
        ["belief a", "l\ufffdst one"],
        ["b b", "E\u00a0f"],
    )
    assert belief.gold.tolist() == [4.25, 0.0]
    assert data.counts["belief"] == 2
    assert any("left out: 1 of 3 of answers-forums, 1 of 3 of" in remark for remark in data.remarks)
    assert "sentences with U+FFFD, where a character was lost: 5" in data.remarks


def test_scores_without_sentences_are_no_subset(root):
    data = load(root, "STS13")
    assert set(data.parts) == {"FNWN", "headlines", "OnWN"}
    assert any("SMT" in remark and "LDC2013T18" in remark for remark in data.remarks)


def test_sts_2016_is_read_under_both_names(root):
    official = load(root, "STS16")
    assert all("STS2016." in name for name in official.files)
    folder = root / "STS/STS16-en-test"
    for path in list(folder.iterdir()):
        path.rename(folder / path.name.replace("STS2016.", "STS."))
    renamed = load(root, "STS16")
    assert repr(renamed.parts) == repr(official.parts)


def test_the_benchmark_has_seven_columns_or_nine(root):
    train = load(root, "STSB").parts["train"]
    assert (train.left[1], train.right[1]) == ("One", "Two")
    assert train.labels.tolist() == [5.0, 3.0]
    assert set(load(root, "STSB-cosine").parts) == {"dev", "test"}


def test_counts_that_are_not_the_papers_are_a_remark(root):
    remarks = load(root, "TREC").remarks
    assert (
        "counts differ from the papers': TREC/train_5500.label has 4 rows, theirs 5,452" in remarks
    )


# --- files that are wrong -----------------------------------------------------------------------

SICK_ROW = b"1\tA\tB\t3\tNEUTRAL\n"
SICK_TOP = b"pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
STSB = "STS/STSBenchmark/sts-test.csv"
GOLD = "STS/STS14-en-test/STS.gs.images.txt"
WRONG = [
    # too few columns
    ("TREC", "TREC/TREC_10.label", b"LOC:city Where ?\nNUM:count\n", r"TREC_10\.label:2 has 1 of 2 columns \('NUM:count'\)"),
    ("MSRP", "MRPC/msr_paraphrase_test.txt", MSRP_HEADER + b"\n1\t2\t3\tOne .\n", r"test\.txt:2 has 4 of 5 columns"),
    ("STS14", "STS/STS14-en-test/STS.input.images.txt", b"a\tb\nno tab\nc\td\n", r"images\.txt:2 has 1 of 2 columns \('no tab'\)"),
    ("STS14", "STS/STS14-en-test/STS.input.images.txt", b"a\tb\n\nc\td\n", r"images\.txt:2 has 1 of 2 columns"),
    ("STSB", STSB, b"main\timages\t2015\t1\t2.5\tup\n", r"sts-test\.csv:1 has 6 of 7 columns"),
    ("SST5", "SST/fine/sentiment-dev", b"3\n", r"sentiment-dev:1 has 1 of 2 columns"),
    ("SST2", "SST/binary/sentiment-dev", b"1 good\n", r"sentiment-dev:1 has 1 of 2 columns"),
    # labels and scores that are none
    ("TREC", "TREC/TREC_10.label", b"\nTHING:x What ?\n", r"TREC_10\.label:1 has 1 of 2 columns"),
    ("TREC", "TREC/TREC_10.label", b"LOC:x Where ?\nTHING:x What ?\n", r"TREC_10\.label:2 has the label 'THING:x' - expected ABBR or DESC"),
    ("MSRP", "MRPC/msr_paraphrase_test.txt", MSRP_HEADER + b"\n1\t2\t3\tOne .\tTwo .\n" + MSRP_HEADER[3:] + b"\n", r"test\.txt:3 has the label 'Quality'"),
    ("SICK-E", "SICK/SICK_trial.txt", SICK_TOP + SICK_ROW + b"2\tA\tB\t3\tMAYBE\n", r"SICK_trial\.txt:3 has the label 'MAYBE'"),
    ("SICK-R", "SICK/SICK_trial.txt", SICK_TOP + b"2\tA\tB\thigh\tNEUTRAL\n", r"trial\.txt:2 has the score 'high' - expected a number from 1 to 5"),
    ("SICK", "SICK/SICK_trial.txt", SICK_TOP + b"2\tA\tB\t5.5\tNEUTRAL\n", r"has the score '5\.5'"),
    ("STSB", STSB, b"main\timages\t2015\t1\tnan\tup\tdown\n", r"sts-test\.csv:1 has the score 'nan'"),
    ("STS14", GOLD, b"1\nx\n2\n", r"gs\.images\.txt:2 has the score 'x'"),
    ("STS14", GOLD, b"1\n-1\n2\n", r"gs\.images\.txt:2 has the score '-1'"),
    # lines that do not fit each other
    ("STS14", GOLD, b"1\n2\n", r"gs\.images\.txt has 2 lines and STS\.input\.images\.txt 3 pairs"),
    ("STS14", GOLD, b"1\n2\n3\n4\n", r"gs\.images\.txt has 4 lines"),
    # headers
    ("SICK", "SICK/SICK_trial.txt", SICK_ROW, r"SICK_trial\.txt:1 is '1\\tA.* expected the header pair_ID TAB sentence_A"),
    ("MSRP", "MRPC/msr_paraphrase_test.txt", b"label\ta\tb\tc\td\n", r"test\.txt:1 is .* expected the header Quality"),
    ("MSRP", "MRPC/msr_paraphrase_test.txt", MSRP_HEADER, r"test\.txt has no row with a label"),
    # no data at all
    ("CR", "CR/custrev.neg", b"\n\n", r"custrev\.neg is empty"),
    ("CR", "CR/custrev.neg", b"\xef\xbb\xbf", r"custrev\.neg is empty"),
    ("STS14", GOLD, b"\n\n\n", r"gs\.images\.txt is empty"),
    ("MR", "MR/rt-polarity.neg", b"<!DOCTYPE html>\n<p>404\n", r"failed download"),
    ("MR", "MR/rt-polarity.neg", b"version https://git-lfs.github.com/spec/v1\n", r"failed download"),
    # encodings
    ("MSRP", "MRPC/msr_paraphrase_test.txt", MSRP_HEADER + b"\n1\t2\t3\tCaf\xe9 .\tTwo .\n", r"test\.txt:2 is not UTF-8 \(it contains b'\\xe9 "),
    ("MR", "MR/rt-polarity.neg", "text\n".encode("utf-16"), r"rt-polarity\.neg is UTF-16"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "file", "content", "message"), WRONG)
def test_a_wrong_file_is_named_with_its_line_and_what_stands_there(
    root, name, file, content, message
):
    write(root, {file: content})
    with pytest.raises(FormatError, match=message) as error:
        load(root, name)
    assert str(root / file) in str(error.value)
    assert "expected" in str(error.value)


def test_a_file_that_cannot_be_read_is_a_source_error(root, monkeypatch):
    from sentvec.evaluation.tasks import lines

    def refuse(path, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(lines.Path, "open", refuse)
    with pytest.raises(SourceError, match=r"rt-polarity\.pos cannot be read \(Permission denied\)"):
        load(root, "MR")


# --- images -------------------------------------------------------------------------------------


def test_images_have_five_captions_each(root):
    part = load(root, "COCO", lowercase=True).parts["train"]
    assert len(part.captions) == 15
    assert part.captions[5:7] == ["a train image 1 seen 0", "a train image 1 seen 1"]
    assert part.features.shape == (3, 4)
    direct = load_ranking(root / "COCO/train_caps.txt", str(root / "COCO/train_ims.npy"))
    assert direct.captions[5] == "A train image 1 seen 0"
    assert np.array_equal(direct.features, part.features)


def test_five_equal_rows_an_image_are_one(root):
    path = root / "COCO/train_ims.npy"
    rows = np.load(path)
    np.save(path, np.repeat(rows, 5, axis=0))
    assert np.array_equal(load(root, "COCO").parts["train"].features, rows)
    repeated = np.repeat(rows, 5, axis=0)
    repeated[8] += 1
    np.save(path, repeated)
    with pytest.raises(FormatError, match="rows 5 and 8 differ"):
        load(root, "COCO")


def features_file(path, array):
    with path.open("wb") as file:
        np.save(file, array, allow_pickle=True)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((4, 2)), "has 15 captions and .* 4 rows - expected 5 captions for each row"),
        (np.zeros(3), r"holds float64 \(3,\) - expected numbers of shape \(images, size\)"),
        (np.array([["a"], ["b"], ["c"]]), "holds <U1"),
        (np.array([[{}], [{}], [{}]]), "is no .npy file of numbers"),
        (np.array([[1.0], [np.inf], [1.0]]), r"row 1 \(from 0\) is not finite"),
    ],
)
def test_features_that_do_not_fit(root, array, message):
    features_file(root / "COCO/train_ims.npy", array)
    with pytest.raises(FormatError, match=message):
        load(root, "COCO")


def test_a_feature_file_that_is_no_array(root):
    path = root / "COCO/train_ims.npy"
    path.write_bytes(b"no array")
    with pytest.raises(FormatError, match=r"is no \.npy file of numbers"):
        load(root, "COCO")
    with path.open("wb") as file:
        np.savez(file, features=np.zeros((3, 4)))
    with pytest.raises(FormatError, match="holds an archive"):
        load(root, "COCO")
    with pytest.raises(SourceError, match=r"gone\.npy cannot be read"):
        load_ranking(root / "COCO/train_caps.txt", root / "gone.npy")


def test_captions_that_are_not_five_an_image(root):
    write_images(root)
    path = root / "COCO/dev_caps.txt"
    path.write_bytes(path.read_bytes() + b"one more\n")
    with pytest.raises(FormatError, match=r"has 11 captions and .* 2 rows"):
        load(root, "COCO")
