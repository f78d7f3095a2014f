"""What the documents show of Skip-Thought works, on tiny models."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex

import numpy as np
import pytest

import sentvec
from sentvec import SkipThoughtSettings, load
from sentvec.cli.app import app
from sentvec.networks.shape import Shape
from support import released
from support.places import ROOT

PAPERS, TOUR, FORMATS, MIGRATING, LONG_RUNS, EVALUATION = (
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("papers", "tour", "formats", "migrating", "long-runs", "evaluation")
)
README = (ROOT / "README.md").read_text(encoding="utf-8")
TINY = ["--dim", "6", "--word-dim", "4", "--min-count", "1", "--threads", "1", "--device", "cpu"]
WORDS = ["she", "he", "opened", "read", "closed", "the", "a", "letter", "door", "book", ".", "it"]

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def section(text, title):
    """What stands under a headline, up to the next of its level or above."""
    level, _, after = re.search(rf"^(#+) ({re.escape(title)})\n(.*)\Z", text, re.M | re.S).groups()
    return re.split(rf"^#{{1,{len(level)}}} ", after, flags=re.M)[0]


def commands(text):
    """The commands of ours that stand on lines of their own, without what is said of them."""
    lines = re.findall(r"^    (sentvec .*)$", text, re.M)
    return [line.partition("  #")[0].strip() for line in lines]


def table(text, heading):
    """The rows of the table under such a heading: lists of cells without their backticks."""
    after = text.split(heading)[1].splitlines()[2:]
    rows = []
    for line in after:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line[1:-1].split("|")])
    return rows


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with what the documents name: texts, word vectors, released files, a model."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    (tmp_path / "books").mkdir()
    for name in ("books/a.txt", "books/b.txt", "books.txt", "corpus.txt", "held-out.txt",
                 "sentences.txt", "spaced.txt"):  # fmt: skip
        lines = [" ".join(rng.choice(WORDS, rng.integers(3, 7))) for _ in range(40)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    vectors = "".join(
        f"{word} {' '.join(f'{v:.3f}' for v in rng.normal(size=3))}\n"
        for word in [*WORDS, "parliament", "dog"]
    )
    for name in ("glove.txt", "vectors.bin"):
        (tmp_path / name).write_text(vectors)
    (tmp_path / "FOLDER").mkdir()
    released.write_released(tmp_path / "FOLDER", "uni", "bi")
    return tmp_path


@pytest.fixture
def run(place):
    """Runs a command as it stands in a document, on a tiny model."""

    def run(command):
        words = shlex.split(command)[1:]
        if words[0] == "train" and words[1] != "--resume":
            at = words.index("books/*.txt") if "books/*.txt" in words else None
            if at is not None:  # the shell's part
                words[at : at + 1] = ["books/a.txt", "books/b.txt"]
            words += TINY
        if words[0] == "estimate":
            words = [word for word in words if word != "corpus.txt" or "--vocab" not in words]
        app(words, standalone_mode=False)  # which raises where the command fails

    return run


def train_both(run):
    run("sentvec train skip-thought books/*.txt -o uni")
    run("sentvec train skip-thought books/*.txt -o bi --encoder bi")


# --- commands and calls -------------------------------------------------------------------------


def test_the_tour_of_skip_thought_works(run, place):
    text = section(TOUR, "Skip-Thought")
    found = commands(text)
    assert {words.split()[1] for words in found} >= {
        "train", "combine", "expand", "encode", "generate", "convert",
    }  # fmt: skip
    for command in found:
        run(command)
    run("sentvec convert uni small --no-targets")
    assert load("both").dim == 12
    assert "parliament" in load("both-wide").vocabulary
    assert load("ours").dim == sum(
        d * n for (_, d), n in zip(released.SIZES.values(), (1, 2), strict=True)
    )
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    tiny = "dim=6, word_dim=4, min_count=1, threads=1, device='cpu', "
    names = {}
    exec(code.replace("dim=600, ", tiny), names)
    both = load("both").encode("she opened the letter", normalize_parts=True)
    assert np.linalg.norm(both) == pytest.approx(np.sqrt(2), rel=1e-6)


def test_the_commands_of_the_readme_work(run, place):
    train_both(run)
    found = [c for c in commands(section(README, "What it is")) if "siamese" not in c]
    assert [command.split()[1] for command in found] == ["train", "combine", "expand", "generate"]
    for command in found:
        run(command)


def test_the_commands_of_long_runs_work(run, place):
    found = [command for command in commands(LONG_RUNS) if "skip-thought" in command]
    assert len(found) == 2
    for command in found:
        run(command)


def moving():
    """The rows of the table for moving over: what is released, and what is ours."""
    text = section(MIGRATING, "From the released Skip-Thought program")
    return [row[:2] for row in table(text, "| released | sentvec | what differs |")]


def test_the_commands_for_moving_over_work(run, place):
    train_both(run)
    found = [
        code
        for _, ours in moving()
        for code in re.findall(r"`(sentvec [^`]*)`", ours)
        if "--data" not in code and "--resume" not in code
    ]
    found += commands(section(MIGRATING, "From the released Skip-Thought program"))
    assert len(found) == 4
    for command in found:
        if "paper/uni-skip" in command:
            command = command.replace("-o uni", "-o other")
        run(command)


def test_the_python_for_moving_over_works(place):
    pytest.importorskip("nltk")
    names = {"sentvec": sentvec, "Tokenizer": sentvec.Tokenizer, "X": ["the cat sat", "on a mat ."],
             "query": "the cat"}  # fmt: skip
    (place / "FOLDER").rename("folder")
    found = [
        code
        for _, ours in moving()
        for code in re.findall(r"`([^`]*)`", ours)
        if code.startswith("model")
    ]
    assert len(found) == 7
    for code in found:
        exec(code, names)
    assert not names["model"].encode([""]).any()
    assert not names["model"].encode(["qwxz"]).any()
    assert names["model"].tokenizer.tokenize("The New_York mat.") == ["The", "New_York", "mat", "."]


def test_what_is_evaluated_may_read_the_end_of_sentences(place, monkeypatch):
    pytest.importorskip("nltk")
    (code,) = re.findall(r"```python\n(.*?)```", section(EVALUATION, "Skip-Thought"), re.DOTALL)
    (place / "FOLDER").rename("released")
    seen = {}
    monkeypatch.setattr(
        sentvec, "evaluate", lambda model, **given: seen.update(model=model, **given)
    )
    exec(code, {})
    texts = ["the cat sat"]
    model = load("released")
    np.testing.assert_array_equal(seen["model"].encode(texts), model.encode(texts, end_token=True))
    assert (seen["model"].encode(texts) != model.encode(texts)).any()
    assert seen["lowercase"] is False


# --- tables -------------------------------------------------------------------------------------


def test_the_presets_of_skip_thought_are_those_of_the_table():
    heading = "| setting | `paper/uni-skip` | `paper/bi-skip` | `skip-thought` | why ours differs |"
    rows = table(PAPERS, heading)
    presets = ["paper/uni-skip", "paper/bi-skip", "skip-thought"]
    chosen = [SkipThoughtSettings.make(name) for name in presets]
    shown = {True: "on", False: "off"}
    for name, *cells in rows:
        for settings, cell in zip(chosen, cells[:3], strict=True):
            value = getattr(settings, name.strip("`"))
            if isinstance(value, bool):
                value = shown[value]
            assert cell == (value if isinstance(value, str) else f"{value:.10g}"), name
        assert (cells[3] != "") >= (len(set(cells[:3])) > 2), name
    names = {name.strip("`") for name, *_ in rows}
    changed = {
        field.name
        for field in dataclasses.fields(SkipThoughtSettings)
        if len({getattr(settings, field.name) for settings in chosen}) > 1
    }
    assert changed <= names
    assert set(SkipThoughtSettings.PRESETS) == set(presets)


def test_every_setting_is_named_where_differences_are_listed():
    text = section(PAPERS, "Skip-Thought").split("| what |")[0]
    named = set(re.findall(r"`(\w+)`", text))
    assert {field.name for field in dataclasses.fields(SkipThoughtSettings)} <= named


def test_differences_are_numbered_and_rows_that_are_named_exist():
    text = section(PAPERS, "Skip-Thought")
    numbers = [int(number) for number in re.findall(r"^\| (\d+)\. ", text, re.M)]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("cutoffs", [(), (10, 20)])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_the_tensors_of_our_folder_are_those_of_the_table(bidirectional, cutoffs):
    shape = Shape(50, 7, 12, bidirectional, "released", True, cutoffs)
    sizes = {"V": 50, "w": 7, "D": 12, "d": 6 if bidirectional else 12, "k": 12}
    found = shape.tensors()
    named = {}
    for names, size, _ in table(FORMATS, "| tensor | shape | what |"):
        several = re.findall(r"`([^`]*)`", names)
        shapes = re.findall(r"\([^)]*\)", size.replace("3d", "3*d").replace("3k", "3*k"))
        shapes = shapes * len(several) if len(shapes) == 1 else shapes
        named |= dict(zip(several, shapes, strict=True)) if shapes else dict.fromkeys(several)
    for name, size in found.items():
        written = named[re.sub(r"2$", "1", name)]
        if not (cutoffs and name.startswith("output")):
            assert eval(written, dict(sizes)) == size, name
    left = set(named) - set(found)
    assert all(("reverse" in name or name[-1] == "1") for name in left)


@pytest.mark.parametrize("name", ["uni", "bi"])
def test_the_arrays_of_the_released_files_are_those_of_the_table(name):
    w, d = released.SIZES[name]
    written = {}
    for names, shape, _ in table(FORMATS, "| array | shape | what |"):
        shapes = re.findall(r"\([^)]*\)", shape.replace("2d", "2*d"))
        several = re.findall(r"`(encoder_[A-Za-z]+)`", names)
        if several and shapes:
            written |= dict(zip(several, shapes, strict=True))
    found = released.parameters(name)
    for key, array in found.items():
        if key != "Wemb":
            of = written[key.replace("encoder_r_", "encoder_")]
            assert eval(of, {"w": w, "d": d}) == array.shape, key
    assert set(written) <= set(found)


def test_the_events_of_a_run_are_those_of_the_table(run, place):
    run(
        "sentvec train skip-thought corpus.txt -o model --validate held-out.txt --validate-every 5%"
    )
    lines = (place / "model" / "metrics.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    rows = {
        event: re.findall(r"`(\w+)`", holds)
        for events, _, holds in table(LONG_RUNS, "| `event` | when | holds |")
        for event in re.findall(r"`([\w-]+)`", events)
    }
    assert {record["event"] for record in records} <= set(rows)
    for record in records:
        if record["event"] in ("progress", "held-out", "validation"):
            keys = set(record) - {"event"}
            assert keys == set(rows[record["event"]]) - {"previous", "next"} | (
                {"parts", "perplexity"} & keys
            )
