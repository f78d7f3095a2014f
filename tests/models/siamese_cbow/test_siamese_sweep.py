"""`benchmarks/quality/siamese_sweep.py`: how far rows moved, and a sweep that was killed."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import siamese_sweep
from sentvec.training import matrices
from siamese_sweep import SWEEPS, main, moved
from support.behaviour import planted_corpus, train_siamese

LINES = planted_corpus()[:220]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_how_far_rows_moved_is_by_the_start_of_the_run(dtype):
    still = train_siamese(LINES, optimizer="sgd", lr=1e-30, dtype=dtype, seed=5, init_std=0.3)
    assert moved(still) == moved(still, 3) == 0
    model = train_siamese(LINES, dtype=dtype, seed=5, init_std=0.3)
    start = matrices.normal(len(model.vocabulary), 20, deviation=0.3, seed=5, threads=1)
    for n in (3, None):
        change = model.input_vectors[:n].astype(np.float64) - start[:n]
        expected = np.sqrt((change**2).sum() / (start[:n].astype(np.float64) ** 2).sum())
        assert moved(model, n) == pytest.approx(expected, rel=1e-3)
    assert moved(model, 3) != moved(model)


@pytest.fixture
def sweep(tmp_path, monkeypatch):
    """Runs the sweep with a measure that trains nothing; returns the settings it was asked for."""
    (tmp_path / "text.txt").write_text("a b\nb a\n")
    asked = []

    def measure(run, text, options):
        asked.append(run["settings"])
        pearson = {"12 MSRvid": 0.1 * run["settings"]["seed"], "15 belief": 0.3}
        return {"run": run, "pearson": pearson, "moved_commonest": 0.5, "moved_all": 0.25,
                "seconds": 1.0}  # fmt: skip

    def sweep(*args, stop_at=None):
        asked.clear()

        def stopping(*given):
            if len(asked) == stop_at:
                raise KeyboardInterrupt
            return measure(*given)

        monkeypatch.setattr(siamese_sweep, "measure", stopping)
        monkeypatch.setattr(sys, "argv", ["siamese_sweep.py", str(tmp_path / "text.txt"),
                            "--data", str(tmp_path), "--json", str(tmp_path / "runs"), *args])  # fmt: skip
        main()
        return list(asked)

    return sweep


def test_a_sweep_makes_each_run_once(sweep):
    asked = sweep()
    assert len({json.dumps(settings, sort_keys=True) for settings in asked}) == len(asked)
    ours = [(s["epochs"], s["negatives"], s["dim"]) for s in asked if s["optimizer"] == "adagrad"]
    assert {epochs for epochs, *_ in ours} == {1, 2, 3, 4, 5}
    assert {negatives for _, negatives, _ in ours} == {1, 2, 5, 10, 32, 64}
    assert {dim for *_, dim in ours} == {50, 100, 200, 300}
    paper = [s["batch_gradient"] for s in asked if s["optimizer"] == "sgd"]
    assert sorted(set(paper)) == ["mean", "sum"]
    assert paper.count("mean") == 1


def test_a_sweep_that_was_killed_goes_on_where_it_was(sweep, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        sweep(stop_at=7)
    with (tmp_path / "runs").open("a") as file:
        file.write('{"run": {"corp')  # killed while it wrote
    rest = sweep()
    lines = (tmp_path / "runs").read_text().splitlines()
    assert len(rest) == len(lines) - 7
    assert all(json.loads(line) for line in lines)
    assert sweep() == []
    assert len(sweep("--words", "1")) == len(lines)
    assert len(sweep("--seeds", "1", "2")) == len(lines)


def test_the_tables_are_means_over_the_seeds_and_mark_the_preset(sweep, capsys):
    sweep("--seeds", "1", "2")
    [first, *_] = [line for line in capsys.readouterr().out.splitlines() if "3*" in line]
    epochs, mean, video, onwn, news, commonest, every, seconds = first.split()
    assert (epochs, mean, video, onwn, news) == ("3*", "0.225", "0.150", "nan", "nan")
    assert (commonest, every, seconds) == ("0.5", "0.25", "1.0")


def test_the_figure_has_three_panels(sweep, tmp_path):
    pytest.importorskip("matplotlib", reason="figures need the extra plot")
    sweep("--plot", str(tmp_path / "figure.png"))
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_every_sweep_starts_from_one_of_its_own_values():
    for title, one in SWEEPS.items():
        for setting, values in one.values.items():
            assert getattr(one.base, setting) in values, (title, setting)
