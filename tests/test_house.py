"""The laws of the house: what imports what, how heavy an import is, how long a module is."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter

import pytest

import sentvec
from support.places import ROOT

PACKAGE = ROOT / "src" / "sentvec"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Imports run downwards only. A room is a folder or a module of the package; those of one line stand
# side by side and do not import each other, but for the doors listed below.
FLOORS = (
    ("cli",),
    ("baselines", "evaluation"),
    ("models",),
    ("training",),
    ("storage", "formats", "networks", "definitions"),
    ("text",),
    ("kernels",),
    ("machine", "wording"),
    ("errors", "suggest", "version"),
)
DOORS = {("formats", "storage")}  # files of other programs hold rows, and are replaced as ours are
LEVEL = {room: -floor for floor, rooms in enumerate(FLOORS) for room in rooms}

MAX_MODULES = 15  # of a room, beside its inner rooms
MAX_LINES = 350
HEAVY = ("numba", "llvmlite", "torch", "scipy", "sklearn", "typer", "rich", "nltk", "safetensors")


def names_of(paths):
    return [str(path.relative_to(PACKAGE)) for path in paths]


def room_of(path):
    """The room of a module; the package's own `__init__` is the front door, of no room."""
    first = path.relative_to(PACKAGE).parts[0]
    return None if first == "__init__.py" else first.removesuffix(".py")


def modules_imported(path):
    """(line, full name) of every import, wherever it stands in the module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            # `from sentvec import x` names a room as well as `from sentvec.x import y` does
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def rooms_imported(path):
    """(line, room) of every import of a part of the package."""
    for line, name in modules_imported(path):
        package, _, rest = name.partition(".")
        if package == "sentvec":
            yield line, rest.partition(".")[0]


def run_python(code, *args, env=None):
    result = subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        capture_output=True, text=True, timeout=60, check=True, env=env,
    )  # fmt: skip
    return json.loads(result.stdout)


# --- imports ------------------------------------------------------------------------------------


def module_of(path):
    """The full name of a module."""
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    return name.removesuffix(".__init__")


NAMES = {module_of(path): path for path in MODULES}


def graph():
    """Which modules each module imports, late imports and those for type checkers counted."""
    found = {}
    for module, path in NAMES.items():
        targets = set()
        for _, name in modules_imported(path):
            while name and name not in NAMES:
                name = name.rpartition(".")[0]
            if name and name != module:
                targets.add(name)
        # `from sentvec.x import y` imports the module x.y, not the room x, where there is one
        found[module] = targets
    return found


def circle(edges):
    """The first circle of a graph, as a list of its nodes; None where there is none."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return None
        path.append(node)
        for target in sorted(edges[node]):
            if found := visit(target):
                return found
        done.add(path.pop())
        return None

    return next((found for node in sorted(edges) if (found := visit(node))), None)


def folder_of(module):
    """The innermost room of a module: its folder, or the module itself at the root."""
    if NAMES[module].name == "__init__.py":
        return module
    parent = module.rpartition(".")[0]
    return module if parent == "sentvec" else parent


def test_every_module_is_in_a_room_of_the_plan():
    assert {room_of(path) for path in MODULES} - {None} == set(LEVEL)


def test_no_modules_import_each_other_in_a_circle():
    assert circle(graph()) is None


def test_no_rooms_import_each_other_in_a_circle():
    rooms = {folder_of(module): set() for module in NAMES}
    for module, targets in graph().items():
        here = folder_of(module)
        if module in ("sentvec", "sentvec.models"):  # front doors: they name what is inside
            continue
        rooms[here] |= {folder_of(target) for target in targets} - {here}
    assert circle(rooms) is None


def test_a_circle_is_found_where_there_is_one():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) is None


def test_a_room_has_few_modules():
    counts = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    crowded = {str(room.relative_to(ROOT)): n for room, n in counts.items() if n > MAX_MODULES}
    assert crowded == {}


@pytest.mark.parametrize("path", MODULES, ids=names_of(MODULES))
def test_imports_run_downwards_only(path):
    room = room_of(path)
    if room is None:
        return
    for line, imported in rooms_imported(path):
        below = LEVEL[imported] < LEVEL[room]
        assert below or imported == room or (room, imported) in DOORS, (
            f"{path.relative_to(ROOT)}:{line} is in {room} and imports {imported}"
        )


def test_what_is_known_of_a_model_is_read_by_field_not_by_key():
    """`config["sizes"]` is for users and files; the library has `config.sizes`."""
    pattern = re.compile(r"\b(config|stored)\s*(\[|\.get\()\s*[\"']")
    for path in MODULES:
        if path.parent.name == "storage" or path.name == "parts.py":  # the modules of the records
            continue
        code = ast.unparse(_without_docstrings(path))
        assert not pattern.search(code), f"{path.relative_to(ROOT)} reads a configuration by key"


def _without_docstrings(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            node.body[0].value.value = ""
    return tree


def test_networks_are_for_models_alone_and_stand_on_the_ground():
    """Nothing else needs torch, and what is in there depends on nothing but the errors."""
    importers = {room_of(path) for path in MODULES
                 if "networks" in {name for _, name in rooms_imported(path)}}  # fmt: skip
    assert importers == {"models", "networks"}
    needed = {name for path in MODULES if room_of(path) == "networks"
              for _, name in rooms_imported(path)}  # fmt: skip
    assert needed == {"networks", "errors"}


def test_every_door_is_used():
    used = {(room_of(path), imported) for path in MODULES for _, imported in rooms_imported(path)}
    assert used >= DOORS


LOADED = f"""
import json, sys
print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))
"""


def test_importing_the_package_loads_nothing_heavy():
    assert run_python(f"import sentvec\n{LOADED}") == []


def test_loading_a_model_loads_nothing_heavy_and_encoding_no_compiler(tmp_path, small_sent2vec):
    small_sent2vec.save(tmp_path / "model")
    opened = "import sys, sentvec; model = sentvec.load(sys.argv[1])"
    assert run_python(f"{opened}\n{LOADED}", tmp_path / "model") == []
    used = """
model.encode(["the captain", "flour"], normalize=True)
model.similarity("flour", ["sugar"])
model.neighbors("flour", ["sugar"])
model.explain("flour"), model.word_vector("flour")
"""
    assert run_python(f"{opened}\n{used}\n{LOADED}", tmp_path / "model") == ["scipy"]


def test_the_other_models_train_load_and_encode_where_there_is_no_torch(tmp_path):
    code = """
import json, sys
sys.modules["torch"] = None  # importing it is an error
from support.behaviour import planted_corpus, train_sent2vec, train_siamese
import sentvec
for train in (train_sent2vec, train_siamese):
    train(planted_corpus()[:44], epochs=1).save(sys.argv[1])
    model = sentvec.load(sys.argv[1])
    model.encode(["the captain", "flour"])
    model.neighbors("flour", ["sugar"])
try:
    import torch
except ImportError:
    print(json.dumps("none"))
"""
    tests = os.pathsep.join([str(ROOT / "tests"), *sys.path])
    environment = {**os.environ, "PYTHONPATH": tests}
    assert run_python(code, tmp_path / "model", env=environment) == "none"


def test_settings_of_skip_thought_load_nothing_heavy():
    code = "from sentvec import SkipThought, SkipThoughtSettings\nSkipThoughtSettings.make()"
    assert run_python(f"{code}\n{LOADED}") == []


def test_the_program_loads_no_compiler_until_it_trains():
    assert run_python(f"import sentvec.cli\n{LOADED}") == ["typer", "rich"]


def test_settings_and_errors_load_nothing_heavy():
    code = "from sentvec import PRESETS, Sent2Vec, Sent2VecSettings, Tokenizer, load, SentvecError"
    assert run_python(f"{code}\nSent2VecSettings.make()\n{LOADED}") == []


@pytest.mark.parametrize("path", MODULES, ids=names_of(MODULES))
def test_what_talks_to_terminals_or_compiles_stays_in_its_room(path):
    packages = {name.partition(".")[0] for _, name in modules_imported(path)}
    assert room_of(path) == "cli" or not packages & {"typer", "rich", "click"}
    assert room_of(path) == "kernels" or "numba" not in packages
    assert room_of(path) == "networks" or "torch" not in packages
    assert "pickle" not in packages


# --- the public names ---------------------------------------------------------------------------


def test_every_public_name_can_be_imported():
    for name in sentvec.__all__:
        value = getattr(sentvec, name)
        assert value.__doc__ or not callable(value), name
    namespace = {}
    exec("from sentvec import *", namespace)
    assert set(sentvec.__all__) <= set(namespace)
    assert set(sentvec.__all__) <= set(dir(sentvec))
    assert sentvec.__all__ == sorted(sentvec.__all__, key=lambda name: (not name.isupper(), name))


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'sentvec' has no attribute 'Sent3Vec'"):
        _ = sentvec.Sent3Vec


# --- what texts say of the house -----------------------------------------------------------------

ROOMS = {module.removeprefix("sentvec.").partition(".")[0] for module in NAMES if "." in module}


@pytest.mark.parametrize("path", MODULES, ids=names_of(MODULES))
def test_modules_that_a_docstring_names_exist(path):
    """`training.loop` is a module, `text.ngrams.feature_lists` something in one."""
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"`([a-z_]+(?:\.[A-Za-z_]+)+)`", text):
        full = f"sentvec.{name}" if name.partition(".")[0] in ROOMS else None
        if full is None or name.endswith((".json", ".txt", ".md")):
            continue
        parent, _, last = full.rpartition(".")
        known = full in NAMES or (
            parent in NAMES and re.search(rf"\b{last}\b", NAMES[parent].read_text(encoding="utf-8"))
        )
        assert known, f"{path.relative_to(ROOT)} names `{name}`"


# --- the modules --------------------------------------------------------------------------------


@pytest.mark.parametrize("path", MODULES, ids=names_of(MODULES))
def test_a_module_says_what_it_is_and_is_short(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < MAX_LINES
    documentation = ast.get_docstring(ast.parse(text))
    assert documentation
    assert documentation.splitlines()[0].strip()


@pytest.mark.parametrize("path", MODULES, ids=names_of(MODULES))
def test_nothing_but_cli_prints_or_exits(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and room_of(path) != "cli":
            called = ast.unparse(node.func)
            assert called not in ("print", "input", "exit", "quit", "sys.exit", "os._exit"), (
                f"{path.relative_to(ROOT)}:{node.lineno} calls {called}"
            )


# --- what no file may hold ----------------------------------------------------------------------

# Put together here, so that this file does not hold them itself: places of one machine.
FORBIDDEN = ["/" + "work/", "/" + "root/", "/" + "home/", "/" + "tmp/v", "/" + "Users/"]
TEXTS = {".py", ".md", ".toml", ".txt", ".cfg", ".yml", ".yaml", ".json", ""}


def test_no_file_names_a_place_of_one_machine():
    looked_at = 0
    for top in ("src", "tests", "docs", "benchmarks", ".ci", "README.md", "pyproject.toml",
                "Makefile", "constraints.txt", "LICENSE"):  # fmt: skip
        for path in [ROOT / top, *(ROOT / top).rglob("*")]:
            hidden = any(
                part.startswith(".") and part != ".ci" for part in path.relative_to(ROOT).parts
            )
            if not path.is_file() or path.suffix not in TEXTS or hidden:
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            looked_at += 1
            for word in FORBIDDEN:
                assert word not in text, f"{path.relative_to(ROOT)} holds {word}"
    assert looked_at > len(MODULES)


def test_a_change_of_a_helper_reaches_the_kernels_that_were_compiled_before(tmp_path):
    copy = tmp_path / "sentvec"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    code = """
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from sentvec.kernels.setup import fill_uniform
rows = np.empty((1, 2), np.float32)
fill_uniform(rows, 0, 1.0, 1)
print(json.dumps(rows.tolist()))
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    first, again = (run_python(code, tmp_path, env=environment) for _ in range(2))
    assert first == again
    helper = copy / "kernels" / "random.py"
    helper.write_text(helper.read_text().replace("_30, _27", "_27, _30"))
    assert run_python(code, tmp_path, env=environment) != first
