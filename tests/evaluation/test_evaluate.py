"""`sentvec.evaluate`: from a model and a folder to a report."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

import sentvec
from sentvec import Report, evaluate
from sentvec.errors import SettingsError, SourceError
from sentvec.evaluation import scoring
from sentvec.evaluation.evaluate import word_norms
from sentvec.evaluation.methods.classify import cv_then_test, nested_cv
from sentvec.evaluation.methods.protocols import PAPER, SENTEVAL
from sentvec.evaluation.tasks.layout import find_tree
from sentvec.evaluation.tasks.readers import load_task
from sentvec.evaluation.tasks.suites import SUITES, TASKS
from sentvec.models.base.fingerprint import fingerprint
from support.behaviour import planted_corpus, train_sent2vec
from support.learnable import WORDS, Answering, Counting, learnable_tree


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return learnable_tree(tmp_path_factory.mktemp("learnable"))


@pytest.fixture(scope="module")
def report(tree):
    return evaluate(Counting(), data=tree, suite="all", threads=1)


@pytest.fixture(scope="module")
def model(small_sent2vec):
    return small_sent2vec


# --- figures ------------------------------------------------------------------------------------


def test_every_task_has_the_figures_of_its_record(report):
    assert list(report) == list(TASKS)
    for name, result in report.items():
        assert result.error is None
        expected = set(TASKS[name].metrics)
        if TASKS[name].kind == "ranking":
            expected = {f"{side} {one}" for side in ("annotation", "search") for one in expected}
        assert set(result.figures) == expected, name
        assert all(np.isfinite(list(result.figures.values())))
        assert result.protocol
        assert result.files
        assert result.counts


def test_a_model_that_counts_words_does_well_and_noise_does_not(tree, report):
    def noise(rows):
        return np.random.default_rng(0).normal(size=rows.shape)

    other = evaluate(Answering(noise), data=tree, tasks="MR,SUBJ,STS14,SICK,SICK-R")
    for name in ("MR", "SUBJ"):
        assert report[name].accuracy > 0.7 > other[name].accuracy
    for name in ("STS14", "SICK", "SICK-R"):
        assert report[name].pearson > 0.75
        assert abs(other[name].pearson) < 0.45


def overlaps(part):
    """The cosine of pairs of eight different words each."""
    sides = zip(part.left, part.right, strict=True)
    return [len(set(a.split()) & set(b.split())) / 8 for a, b in sides]


def test_similarity_is_the_correlation_of_cosines_summed_up_in_three_ways(tree, report):
    parts = load_task(TASKS["STS14"], tree, lowercase=False).parts
    result = report["STS14"]
    assert list(result.sets) == list(parts)
    columns = {name: (overlaps(part), part.gold) for name, part in parts.items()}
    for metric, measure in (("pearson", pearsonr), ("spearman", spearmanr)):
        single = {name: measure(*pair)[0] for name, pair in columns.items()}
        for name, value in single.items():
            assert getattr(result.sets[name], metric) == pytest.approx(value)
        sizes = np.array([len(gold) for _, gold in columns.values()])
        values = np.array(list(single.values()))
        whole = measure(*(np.concatenate(side) for side in zip(*columns.values(), strict=True)))[0]
        found = {name: getattr(one, metric) for name, one in result.means.items()}
        assert found == pytest.approx(
            {
                "mean": values.mean(),
                "mean weighted by pairs": values @ sizes / sizes.sum(),
                "concatenation": whole,
            }
        )
        assert len(set(np.round(list(found.values()), 6))) == 3
        assert result.figures[metric] == pytest.approx(values.mean())
    assert result.headline == "mean"


def test_sick_is_reported_over_all_pairs_and_over_test_and_train(tree, report):
    parts = load_task(TASKS["SICK"], tree, lowercase=False).parts
    result = report["SICK"]
    for name, union in (("all", ("train", "dev", "test")), ("test + train", ("test", "train"))):
        scores = np.concatenate([overlaps(parts[part]) for part in union])
        gold = np.concatenate([parts[part].gold for part in union])
        assert result.sets[name].pearson == pytest.approx(pearsonr(scores, gold)[0])
        assert result.sets[name].n_pairs == len(gold)
    assert result.pearson == result.sets["all"].pearson
    assert result.means == {}


def test_a_pair_with_a_text_without_known_words_has_the_cosine_0(tmp_path):
    folder = tmp_path / "STS" / "STS13-en-test"
    folder.mkdir(parents=True)
    for subset in ("FNWN", "headlines", "OnWN"):
        (folder / f"STS.input.{subset}.txt").write_text("ba\tba\nxyzzy\tba\nba be\tbe bi\n")
        (folder / f"STS.gs.{subset}.txt").write_text("5\n0\n2\n")
    result = evaluate(Counting(), data=tmp_path, tasks="STS13")["STS13"]
    assert result.items.scores["FNWN"].tolist() == pytest.approx([1, 0, 0.5])


def test_a_set_with_one_scored_pair_is_named(tree, tmp_path):
    shutil.copytree(tree / "STS" / "STS13-en-test", tmp_path / "STS" / "STS13-en-test")
    folder = tmp_path / "STS" / "STS13-en-test"
    (folder / "STS.input.OnWN.txt").write_text("ba\tbe\nba\tba\n")
    (folder / "STS.gs.OnWN.txt").write_text("\n3\n")
    error = evaluate(Counting(), data=tmp_path, tasks="STS13")["STS13"].error
    assert error.startswith("the set OnWN has only 1 scored pair - expected two or more")


def test_classifications_use_the_words_of_their_protocol(tree, report):
    assert "nested cross-validation" in report["MR"].protocol
    assert "by accuracy" in report["TREC"].protocol
    assert "by f1" in report["MSRP"].protocol
    assert report["MR"].protocol.startswith("paper: ")
    other = evaluate(Counting(), data=tree, tasks="MR,MSRP", protocol="senteval")
    assert other["MR"].protocol.startswith("senteval: nested")
    assert "by accuracy" in other["MSRP"].protocol
    quick = evaluate(Counting(), data=tree, suite="quick")
    assert "not nested, 5 folds" in quick["MR"].protocol
    assert list(quick) == list(SUITES["quick"].tasks)
    assert evaluate(Counting(), data=tree).provenance == quick.provenance


def test_senteval_sorts_by_the_words_of_sentences_before_it_makes_folds(tree, tmp_path):
    texts = [
        f"{' '.join(WORDS[row % 9 : row % 9 + 1 + row % 5])} {'x' * (row % 11)}z"
        for row in range(120)
    ]
    for name, part in (("rt-polarity.pos", texts[::2]), ("rt-polarity.neg", texts[1::2])):
        (tmp_path / "MR").mkdir(exist_ok=True)
        (tmp_path / "MR" / name).write_text("\n".join(part) + "\n")
    found = evaluate(Counting(), data=tmp_path, tasks="MR", protocol="senteval")["MR"]
    part = load_task(TASKS["MR"], find_tree(tmp_path), lowercase=False).parts["all"]
    x, words = Counting().encode(part.texts), [len(text.split()) for text in part.texts]
    expected = nested_cv(x, part.labels, SENTEVAL, lengths=words)
    assert found.items.fold_accuracies == expected.fold_accuracies
    assert found.penalties == expected.penalties
    for other in (None, list(map(len, part.texts))):
        unlike = nested_cv(x, part.labels, SENTEVAL, lengths=other)
        assert unlike.fold_accuracies != expected.fold_accuracies


def test_senteval_is_given_the_words_of_both_sides_of_train_pairs(tree, monkeypatch):
    given = {}

    def spy(*args, **options):
        given.update(options)
        return cv_then_test(*args, **options)

    monkeypatch.setattr(scoring, "cv_then_test", spy)
    evaluate(Counting(), data=tree, tasks="MSRP", protocol="senteval")
    train = load_task(TASKS["MSRP"], find_tree(tree), lowercase=False).parts["train"]
    assert given["lengths"].tolist() == [[8, 8]] * len(train.left)
    given.clear()
    evaluate(Counting(), data=tree, tasks="MSRP", protocol="paper")
    assert given["select"] == "f1"
    assert "lengths" not in given


def test_items_are_those_the_accuracy_counts(report):
    assert len(report["MR"].items.fold_accuracies) == PAPER.folds
    assert np.mean(report["MR"].items.fold_accuracies) == pytest.approx(report["MR"].accuracy)
    assert report["MR"].items.correct.shape == (75,)
    for name in ("TREC", "MSRP", "SST2", "SICK-E"):
        assert report[name].items.correct.mean() == report[name].accuracy
        assert report[name].items.fold_accuracies == ()


def test_the_seed_of_the_ranking_is_that_of_the_protocol(tree):
    def words(**options):
        return evaluate(Counting(), data=tree, tasks="COCO", **options)["COCO"].protocol

    assert words(protocol="senteval").endswith("seed 1111")
    assert words(protocol="paper").endswith("seed 1234")
    assert words(seed=5).endswith("seed 5")


def test_extra_features_give_figures_beside_those_without(tree, report):
    # the class is in the words: a model that sees one of them is saved by the features
    options = {"data": tree, "tasks": "MR,TREC,MSRP", "threads": 1}
    plain = evaluate(Counting(["ba"]), **options)
    found = evaluate(Counting(["ba"]), with_features=True, **options)
    assert set(found["MR"].figures) == {"accuracy", "accuracy +NB"}
    assert set(found["MSRP"].figures) == {"accuracy", "f1", "accuracy +feats", "f1 +feats"}
    assert set(found["TREC"].figures) == {"accuracy"}
    assert "+NB" in found["MR"].protocol
    for name, extra in (("MR", "+NB"), ("MSRP", "+feats")):
        assert found[name].accuracy == plain[name].accuracy
        assert found[name].figures[f"accuracy {extra}"] > plain[name].accuracy + 0.1
    with pytest.raises(SettingsError, match="with_features with the protocol quick"):
        evaluate(Counting(), data=tree, suite="quick", with_features=True)


# --- the run ------------------------------------------------------------------------------------


def test_each_sentence_is_encoded_once_in_a_run(tree):
    model = Counting()
    evaluate(model, data=tree, tasks="SICK,SICK-E,SICK-R,STS14,MR", protocol="quick")
    assert len(model.asked) == len(set(model.asked))


def test_the_same_seed_gives_the_same_bytes_wherever_the_data_lie(tree, tmp_path):
    copy = tmp_path / "elsewhere"
    shutil.copytree(tree, copy)
    (copy / "SUBJ" / "subj.objective").unlink()
    (copy / "CR" / "custrev.pos").write_bytes(b"\xff\xfe")
    (tree_ := tmp_path / "again").mkdir()
    shutil.copytree(copy, tree_ / "downstream")
    one, two = (
        evaluate(Counting(), data=place, suite="sent2vec", threads=threads).to_json()
        for place, threads in ((copy, 1), (tree_, 2))
    )
    assert one == two
    assert str(tmp_path) not in one
    other = evaluate(Counting(), data=copy, suite="sent2vec", seed=5)
    assert other.provenance["seed"] == 5
    assert other["MR"].items.fold_accuracies != Report.from_json(one)["MR"].items.fold_accuracies


def test_what_is_missing_is_listed_and_the_rest_is_run(tree, tmp_path):
    shutil.copytree(tree, tmp_path, dirs_exist_ok=True)
    (tmp_path / "CR" / "custrev.pos").unlink()
    (tmp_path / "MRPC" / "msr_paraphrase_train.txt").write_bytes(b"")
    report = evaluate(Counting(), data=tmp_path, suite="quick")
    assert set(report.missing) == {"CR", "MSRP"}
    assert "CR/custrev.pos is missing" in report.missing["CR"]
    assert "is empty" in report.missing["MSRP"]
    assert "MR" in report
    assert "CR" not in report
    assert report.get("CR") is None
    assert report.get("MR") is report["MR"]
    with pytest.raises(SettingsError, match=re.escape("has no task 'CR' - CR: CR/custrev.pos")):
        _ = report["CR"]
    with pytest.raises(SettingsError, match="did you mean 'STS14'"):
        _ = report["STS41"]


def test_with_nothing_to_run_there_is_no_report(tree, tmp_path):
    shutil.copytree(tree / "MR", tmp_path / "MR")
    with pytest.raises(SourceError, match=r"none of CR can be run - CR: .*custrev.pos is missing"):
        evaluate(Counting(), data=tmp_path, tasks="CR")


def test_damaged_data_are_an_error_of_their_task(tree, tmp_path):
    shutil.copytree(tree, tmp_path, dirs_exist_ok=True)
    (tmp_path / "TREC" / "TREC_10.label").write_text("NOSUCH:x who ?\n")
    report = evaluate(Counting(), data=tmp_path, tasks="TREC,STS14")
    assert "TREC/TREC_10.label" in report["TREC"].error
    assert report["TREC"].figures == {}
    assert report["STS14"].pearson > 0.5
    with pytest.raises(SettingsError, match="TREC has no accuracy - it failed: "):
        _ = report["TREC"].accuracy


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: np.where(rows[:, :1] > 0, np.nan, rows), "NaN or infin"),
        (lambda rows: rows[1:], "expected (270, dim)"),
        (lambda rows: rows.astype(str), "expected floats"),
        (lambda rows: {}["key"], "encode raised KeyError"),
    ],
    ids=["NaN", "too few", "text", "error"],
)
def test_a_model_that_fails_fails_its_task_and_the_run_goes_on(tree, change, message):
    def sometimes(rows):  # the 270 different sentences of STS 2014 go to the model at once
        return change(rows) if len(rows) == 270 else rows

    report = evaluate(Answering(sometimes), data=tree, tasks="STS13,STS14,STS15", protocol="quick")
    assert list(report) == ["STS13", "STS14", "STS15"]
    assert message in report["STS14"].error
    assert report["STS13"].error is report["STS15"].error is None
    assert "STS14" in json.loads(report.to_json())["tasks"]


@pytest.mark.parametrize("constant", [0.0, 1.0, -3.5])
def test_constant_vectors_are_reported_as_such(tree, constant):
    model = Answering(lambda rows: np.full((len(rows), 3), constant))
    report = evaluate(model, data=tree, suite="all", protocol="quick", threads=1)
    for name, result in report.items():
        assert any("all sentences have the same vector" in one for one in result.remarks), name
    for name in ("STS14", "SICK", "STSB-cosine"):
        assert np.isnan(report[name].pearson)
        assert any("a correlation is undefined" in one for one in report[name].remarks)
    assert report["MR"].accuracy == pytest.approx(40 / 75, abs=0.02)  # the larger class
    values = json.loads(report.to_json())
    assert values["tasks"]["STS14"]["figures"]["pearson"] is None
    assert np.isnan(Report.from_json(report.to_json())["STS14"].pearson)
    assert "none" in report.to_markdown()


def test_a_task_of_which_no_word_is_known_has_no_figures(tree, model):
    report = evaluate(model, data=tree, tasks="STS13,MR", protocol="quick")
    for result in report.values():
        assert "the model knows no word of the" in result.error
        assert result.coverage.known == 0
        assert result.coverage.tokens > 0
        assert result.figures == {}


def test_progress_is_told_of_every_task(tree):
    steps = []
    evaluate(Counting(), data=tree, tasks="MR,STS13,COCO", protocol="quick", progress=steps.append)
    assert list(dict.fromkeys(step.task for step in steps)) == ["MR", "STS13", "COCO"]
    for number, name in enumerate(("MR", "STS13", "COCO"), 1):
        own = [step for step in steps if step.task == name]
        assert {(step.number, step.total) for step in own} == {(number, 3)}
        assert list(dict.fromkeys(step.stage for step in own)) == [
            "reading", "encoding", "scoring", "done",
        ]  # fmt: skip
        scoring = [step.done for step in own if step.stage == "scoring"]
        assert scoring == sorted(scoring)
        assert 0 <= scoring[0] <= scoring[-1] <= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"suite": "quik"}, "did you mean 'quick'"),
        ({"tasks": "MR,STS41"}, "there is no task 'STS41'"),
        ({"tasks": []}, "got no task"),
        ({"protocol": "papers"}, "there is no protocol 'papers' - did you mean 'paper'"),
        ({"seed": -1}, "seed is -1 - expected a whole number from 0"),
        ({"seed": 1.5}, "seed is 1.5"),
        ({"threads": 0}, "threads is 0 - expected a whole number from 1"),
    ],
)
def test_arguments_that_cannot_work_are_refused(tree, options, message):
    with pytest.raises(SettingsError, match=re.escape(message)):
        evaluate(Counting(), data=tree, **options)


# --- what is said of the model ------------------------------------------------------------------


def capitals(tree):
    return "\n".join(load_task(TASKS["MR"], tree, lowercase=False).parts["all"].texts)


def test_sentences_are_lower_cased_where_the_vocabulary_is(tree):
    def run(texts, tokenizer="whitespace", **options):
        model = train_sent2vec(texts, epochs=1, min_count=1, tokenizer=tokenizer)
        return evaluate(model, data=tree, tasks="MR", protocol="quick", **options)

    text = capitals(tree)
    assert text != text.lower()
    lowered = run(text.lower().split("\n"))
    assert lowered.provenance["lowercase"] is True
    assert (
        lowered.provenance["lowercase_because"] == "100.0% of 55 words of the model are lower-case"
    )
    assert lowered["MR"].coverage.share == 1.0
    kept = run(text.split("\n"))
    assert kept.provenance["lowercase"] is False
    assert kept["MR"].coverage.share == 1.0
    by_tokenizer = run(text.split("\n"), tokenizer="simple")
    assert by_tokenizer.provenance["lowercase"] is False
    assert by_tokenizer.provenance["lowercase_because"] == "the model's tokenizer lower-cases"
    asked = run(text.lower().split("\n"), lowercase=False)
    assert asked.provenance["lowercase_because"] == "asked for"
    assert asked["MR"].coverage.share < 1.0
    assert any("known in lower case" in one for one in asked.provenance["remarks"])
    unknown = evaluate(Counting(), data=tree, tasks="MR", protocol="quick")
    assert unknown.provenance["lowercase"] is False
    assert unknown.provenance["lowercase_because"] == "the model's vocabulary is not known"


def test_the_report_says_what_the_model_is(tree, model, tmp_path):
    model.save(tmp_path / "saved")
    loaded = sentvec.load(tmp_path / "saved")
    # MR has no word of the model, but the report is about the model here
    described = evaluate(loaded, data=tree, tasks="MR").provenance["model"]
    assert described["name"] == "saved"
    assert described["kind"] == "sent2vec"
    assert described["dim"] == model.dim
    assert described["vocabulary"] == len(model.vocabulary)
    assert described["fingerprint"] == fingerprint(model)
    assert re.fullmatch("[0-9a-f]{32}", described["fingerprint"])
    assert described["tokenizer"] == model.tokenizer.to_config()
    named = evaluate(model, data=tree, tasks="MR", name="mine").provenance["model"]
    assert named == {**described, "name": "mine"}


def test_the_fingerprint_is_of_words_counts_and_rows(model):
    other = train_sent2vec(planted_corpus()[:220], epochs=2)
    assert list(other.vocabulary) == list(model.vocabulary)
    more = train_sent2vec([*planted_corpus()[:220], "captain captain"], epochs=1)
    assert len({fingerprint(one) for one in (model, other, more)}) == 3
    assert fingerprint(train_sent2vec(planted_corpus()[:220], epochs=1)) == fingerprint(model)


def test_of_another_object_the_report_says_what_it_can(tree):
    described = evaluate(Counting(), data=tree, tasks="STS13").provenance["model"]
    assert described == {
        "name": "Counting",
        "kind": "support.learnable.Counting",
        "dim": len(WORDS),
        "fingerprint": None,
        "tokenizer": None,
    }

    class Telling(Counting):
        def provenance(self):
            return {"kind": "counts", "words": 60}

    described = evaluate(Telling(), data=tree, tasks="STS13").provenance["model"]
    assert described["kind"] == "counts"
    assert described["words"] == 60


@pytest.mark.parametrize("told", [{"size": np.float32(1)}, {"size": np.nan}, ["size"], 5, {1: {2}}])
def test_what_json_cannot_hold_is_refused_before_the_run(tree, told):
    class Telling(Counting):
        def provenance(self):
            return told

    model = Telling()
    with pytest.raises(
        SettingsError, match="provenance of Telling returned values that JSON cannot hold"
    ):
        evaluate(model, data=tree, tasks="STS13")
    assert not model.asked


def test_word_norms_are_those_of_the_word_vectors(model):
    counts, norms = word_norms(model)
    assert counts.tolist() == list(model.vocabulary.values())
    expected = [np.linalg.norm(model.word_vector(word)) for word in model.vocabulary]
    assert norms == pytest.approx(expected)
    with pytest.raises(SettingsError, match="a Counting has no word vectors"):
        word_norms(Counting())


def test_the_tree_may_be_named_by_its_parent(tree, tmp_path):
    shutil.copytree(tree, tmp_path / "downstream")
    assert find_tree(tmp_path).path == tmp_path / "downstream"
    assert "STS13" in evaluate(Counting(), data=str(tmp_path), tasks="STS13")
