"""Finding the tree and its files, and saying what is missing."""

from __future__ import annotations

import re
import shutil

import pytest

from sentvec.errors import FormatError, SourceError
from sentvec.evaluation.tasks.layout import available, find_tree, locate
from sentvec.evaluation.tasks.readers import load_task
from sentvec.evaluation.tasks.suites import TASKS
from support.evaluation_trees import flat_tree, senteval_tree

FLAT_TASKS = ("MR", "CR", "SUBJ", "MPQA", "TREC", "MSRP", "SICK-R", "SICK-E", "SICK")


@pytest.mark.parametrize("below", ["downstream", "data/downstream", "."])
def test_the_tree_is_found_from_the_folders_people_name(tmp_path, below):
    senteval_tree(tmp_path / below)
    tree = find_tree(str(tmp_path))
    assert (tree.path, tree.layout) == (tmp_path / below, "senteval")
    assert available(tmp_path).ready == tuple(TASKS)


@pytest.mark.parametrize("below", [".", "data"])
def test_the_flat_folder_of_skip_thoughts_is_a_tree(tmp_path, below):
    flat_tree(tmp_path / below)
    tree = find_tree(tmp_path)
    assert (tree.path, tree.layout) == (tmp_path / below, "flat")
    assert available(tree).ready == FLAT_TASKS


def test_both_layouts_hold_the_same_data(tmp_path):
    senteval, flat = senteval_tree(tmp_path / "one"), flat_tree(tmp_path / "two")
    for name in FLAT_TASKS:
        one, two = (load_task(TASKS[name], root, lowercase=False) for root in (senteval, flat))
        assert repr(one.parts) == repr(two.parts)
        assert list(one.files.values()) == list(two.files.values())
        assert list(one.files) != list(two.files)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(SourceError, match="nowhere does not exist - expected the folder"):
        find_tree(tmp_path / "nowhere")
    (tmp_path / "file").write_text("text")
    with pytest.raises(SourceError, match="file is a file - expected the folder"):
        find_tree(tmp_path / "file")


def test_a_folder_without_data_names_the_layouts_and_trees_nearby(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match=r"MR/rt-polarity\.pos.* see docs/evaluation-data\.md"):
        find_tree(tmp_path / "empty")
    tree = senteval_tree(tmp_path / "eval" / "tokenised")
    with pytest.raises(SourceError, match=rf"did you mean {re.escape(str(tree))}\?"):
        find_tree(tmp_path / "eval")
    with pytest.raises(SourceError, match=rf"did you mean {re.escape(str(tree))}\?"):
        find_tree(tree / "STS")


def test_a_missing_file_is_named_with_its_place_and_its_format(tmp_path):
    root = senteval_tree(tmp_path)
    (root / "MR" / "rt-polarity.neg").unlink()
    with pytest.raises(SourceError) as error:
        load_task(TASKS["MR"], root, lowercase=True)
    message = str(error.value)
    assert f"MR: {root / 'MR' / 'rt-polarity.neg'} is missing - expected 5,331 lines" in message
    assert "UTF-8 or latin-1, each: one sentence, which may be blank" in message
    assert "put it there, or leave MR out" in message
    assert "has all files of CR, SUBJ, MPQA" in message


def test_in_a_flat_tree_a_missing_file_goes_into_the_one_folder(tmp_path):
    root = flat_tree(tmp_path)
    (root / "plot.tok.gt9.5000").unlink()
    with pytest.raises(SourceError, match=re.escape(str(root / "plot.tok.gt9.5000"))):
        locate(TASKS["SUBJ"], find_tree(root))
    with pytest.raises(SourceError, match=re.escape(str(root / "STS/STS14-en-test/STS.input"))):
        locate(TASKS["STS14"], find_tree(root))


def test_many_missing_files_are_counted_not_listed(tmp_path):
    root = senteval_tree(tmp_path)
    shutil.rmtree(root / "STS" / "STS16-en-test")
    problem = available(root).problems["STS16"]
    assert "STS.input.answer-answer.txt is missing (also STS.gs.answer-answer.txt" in problem
    assert "and 6 more)" in problem


def test_a_gold_file_is_missed_too(tmp_path):
    root = senteval_tree(tmp_path)
    (root / "STS/STS12-en-test/STS.gs.MSRvid.txt").unlink()
    assert list(available(root).problems) == ["STS12"]
    assert "STS.gs.MSRvid.txt is missing" in available(root).problems["STS12"]


def test_an_empty_file_is_named_as_what_a_failed_download_leaves(tmp_path):
    root = senteval_tree(tmp_path)
    (root / "MRPC" / "msr_paraphrase_test.txt").write_bytes(b"")
    assert list(available(root).problems) == ["MSRP"]
    with pytest.raises(FormatError, match=r"paraphrase_test\.txt is empty.* 1,726 lines of UTF-8"):
        load_task(TASKS["MSRP"], root, lowercase=True)


def test_other_names_of_a_folder_are_found(tmp_path):
    root = senteval_tree(tmp_path)
    (root / "SST" / "binary").rename(root / "SST" / "Binary")
    (root / "SST" / "fine").rename(root / "SST" / "Fine-Grained")
    (root / "STS" / "STSBenchmark").rename(root / "stsbenchmark")
    assert {"SST2", "SST5", "STSB", "STSB-cosine"} <= set(available(root).ready)
