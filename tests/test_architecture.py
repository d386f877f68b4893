"""The structure as documented: which way imports point, who touches what, how long things may grow.

Everything is read from the source (`ast`), so an import inside a function counts as well.
"""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import budget
from tests.support.source import (
    ALL,
    ENTRIES,
    PACKAGE,
    ROOT,
    TESTS,
    dotted,
    found,
    graph,
    import_order,
    imports,
    modules,
    name,
    nodes,
)

# Each may import those above it, and itself.
LAYERS = (
    *("language", "messages", "resources", "definitions", "clock", "stats"),
    *("text", "rubrics", "model"),
    "store",
    *("importing", "sampling"),
    *("exporting", "building", "samples", "team"),
    "grading",
    *("judges", "metrics"),
    *("reports", "library"),
    *("ui", "mcp", "commands"),
    *("cli", "__main__", "pytest_plugin"),
)
# Inside a package: each may import those of its row and the rows above; REST is what no row names.
REST = "*"
LAYERS_WITHIN = {
    "concord.importing": (
        ("fields",),
        ("readers",),
        (REST,),
        ("answer_file", "grade_file"),
        ("sheet_import",),
    ),
    "concord.judges": (
        ("definition", "training_grades"),
        ("prompting", "few_shot"),
        ("kinds",),
        ("transport",),
        ("metric_results",),
        ("run",),
        ("baseline", "combined", "building"),
        ("exporting",),
        ("checks",),
    ),
    "concord.metrics": (("prompts",), ("framework",), (REST,)),
    "concord.reports": (
        ("document", "cells", "charts", "lists", "terminal", "panel"),
        ("metrics", "plan", "samples", "ranking", "reliability", "disagreements", "adjudicate"),
        ("decision", "segments", "units"),
        ("agreement", "cascade"),
        ("certificate", "comparison", "export"),
        ("calibration", "gate", "workflow"),
    ),
    "concord.stats": (
        ("core",),
        ("intervals",),
        ("agreement",),
        ("decision",),
        ("comparison", "continuous", "planning"),
        ("statistics",),
        ("baselines", "reliability", "segments"),
        ("correction", "probabilities"),
    ),
    "concord.store": (("permissions",), ("database",), (REST, "rubrics", "units")),
    "concord.ui": (
        ("language", "style", "markup"),
        ("server",),
        ("sign_in",),
        ("frame",),
        (REST,),
        ("components", "reports", "page_run"),
        ("screens",),
    ),
}

# Beside what LAYERS says.
METRICS_MAY_IMPORT = {"messages", "definitions", "rubrics", "model", "text", "judges"}
NOT_FOR_EACH_OTHER = {"ui": {"commands"}, "mcp": {"ui"}, "commands": {"ui"}}
SCREENS, DATABASES = ("streamlit", "plotly"), ("sqlite3",)
# Package -> what of others' it must never import.
_PURE = (*SCREENS, *DATABASES, "openai")
MUST_NOT_IMPORT = {
    **dict.fromkeys(LAYERS, _PURE),
    "stats": (*_PURE, "pydantic", "random"),
    "ui": (*DATABASES, "openai"),
}
SQL_STANDS_IN = {"store", "importing", "sampling", "grading", "exporting", "building", "team"}
ONLY_IN = {
    "sqlite3": {"concord/store/database.py", "concord/store/permissions.py"},
    "openai": {"concord/judges/transport/client.py"},
    "httpx2": {"concord/judges/transport/client.py"},
    "aiohttp": {"concord/judges/transport/connections.py"},
}
THE_TIME = re.compile(
    r"(\w+\.)*(datetime|date)\.(now|utcnow|today)|time\.(time|time_ns|localtime|gmtime)"
)
ASKED_FOR_THE_TIME = {"now", "utcnow", "today", "time", "time_ns", "localtime", "gmtime"}

READ_FILES_OF_ANY_CONTENT = ["concord/importing/readers/safe_reading.py"]

MODULE_LINES, FUNCTION_LINES = 1_000, 100

# A global random state, or a new one without a seed.
UNSEEDED = re.compile(
    r"(np|numpy)\.random\.(?!default_rng|Generator|SeedSequence|PCG64|BitGenerator)\w+"
    r"|(\w+\.)*(default_rng|RandomState|Random)\(\)"
)
ARITHMETIC = (ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
RECKONING = {"sum", "round", "abs", "divmod", "pow"}
AVERAGING = {"mean", "median", "std", "var", "quantile", "corr"}
SQL = re.compile(
    r"\s*(select\s.+\sfrom|insert\s+into|update\s+\w+\s+set|delete\s+from|pragma)\s", re.DOTALL
)


def within(module: str, places: tuple[str, ...]) -> bool:
    return any(module == place or module.startswith(f"{place}.") for place in places)


def package(path: Path) -> str:
    """The layer that a file of the package belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def allowed(layer: str) -> set[str]:
    """The layers that a layer may import."""
    if layer == "stats":
        return {"stats"}
    if layer == "metrics":
        return {"metrics", *METRICS_MAY_IMPORT}
    before = {*LAYERS[: LAYERS.index(layer) + 1]}
    return before - NOT_FOR_EACH_OTHER.get(layer, set())


def test_every_module_has_its_layer():
    assert {package(path) for path in modules("concord")} - {"__init__"} == {*LAYERS}


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_point_one_way(layer):
    wrong = [
        f"{name(path)}:{line} imports {module}"
        for path in modules(f"concord.{layer}")
        for module, line in imports(path)
        if within(module, ("concord", "tests", *ENTRIES))
        and (module.split(".")[0] != "concord" or module.split(".")[1] not in allowed(layer))
    ]
    assert wrong == []


@pytest.mark.parametrize("parent", LAYERS_WITHIN)
def test_imports_inside_a_package_point_one_way(parent):
    inside = {module for module in graph() if module.startswith(f"{parent}.")}
    children = {_child(module, parent) for module in inside}
    named = {child for row in LAYERS_WITHIN[parent] for child in row} - {REST}
    assert named <= children
    row_of = {child: i for i, row in enumerate(LAYERS_WITHIN[parent]) for child in row}
    assert REST in row_of or named == children - {"__init__"}
    wrong = [
        f"{module} imports {used}"
        for module in sorted(inside)
        for used in sorted(graph()[module] & inside)
        if _row(module, parent, row_of) < _row(used, parent, row_of)
    ]
    assert wrong == []


def _child(module: str, parent: str) -> str:
    return module.removeprefix(f"{parent}.").split(".")[0]


def _row(module: str, parent: str, row_of: dict[str, int]) -> int:
    child = _child(module, parent)
    return row_of[child] if child in row_of else row_of[REST]


def test_every_package_with_folders_has_its_layers():
    parents = {dotted(path.parent.parent / "__init__.py") for path in PACKAGE.rglob("__init__.py")}
    assert parents - {"__init__", "concord"} == {*LAYERS_WITHIN}


def test_no_import_cycle():
    """Type hints and imports inside functions count too."""
    assert import_order()


def test_no_code_imports_a_folder_of_the_root():
    """The folders hold definitions, samples and screens, and are no packages."""
    folders = tuple(path.name for path in ROOT.glob("[a-z]*") if path.is_dir())
    ours = tuple(folder for folder in folders if folder not in ("concord", "tests", "benchmarks"))
    assert "rubrics" in ours and "pages" in ours
    everywhere = [*ALL, *TESTS, *modules("benchmarks")]
    assert found(everywhere, lambda path: _of(path, ours)) == []


def _of(path: Path, places: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    return ((line, module) for module, line in imports(path) if within(module, places))


def test_no_test_imports_another_nor_a_conftest():
    """What several files use is a fixture in a conftest.py or a helper in tests/support."""
    tests = tuple(dotted(path) for path in TESTS if path.name.startswith(("test_", "conftest.")))
    assert len(tests) > 200 and found(TESTS, lambda path: _of(path, tests)) == []


def test_fixtures_stand_in_a_conftest():
    elsewhere = [path for path in TESTS if path.name != "conftest.py"]
    assert found(elsewhere, _fixtures) == []
    assert len(found(TESTS, _fixtures)) > 100


def _fixtures(path: Path) -> Iterator[tuple[int, str]]:
    for node in nodes(path):
        for decorator in getattr(node, "decorator_list", ()):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if ast.unparse(called) in ("pytest.fixture", "fixture"):
                yield node.lineno, f"the fixture {node.name}"


@pytest.mark.parametrize("layer", MUST_NOT_IMPORT)
def test_a_package_keeps_out_what_it_must_not_touch(layer):
    wrong = [
        f"{name(path)}:{line} imports {module}"
        for path in modules(f"concord.{layer}")
        for module, line in imports(path)
        if within(module, MUST_NOT_IMPORT[layer])
        and name(path) not in ONLY_IN.get(module.split(".")[0], ())
    ]
    assert wrong == []


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_screen_keeps_out_the_database_and_the_network(entry):
    forbidden = (*DATABASES, "openai", "numpy", "plotly")
    assert found(modules(entry), lambda path: _of(path, forbidden)) == []


@pytest.mark.parametrize(("module", "places"), ONLY_IN.items())
def test_only_their_modules_import_what_reaches_outside(module, places):
    importers = {name(path) for path in ALL for used, _ in imports(path) if within(used, (module,))}
    assert importers <= places


@pytest.mark.parametrize("room", ["concord.ui", "pages"])
def test_screens_open_the_store_as_the_person_before_them_may_reach_it(room):
    """The doors know nobody yet, and units that a rule makes are nobody's grades."""
    openers = {
        name(path)
        for path in modules(room)
        for module, _ in imports(path)
        if module == "concord.store.database.open_store"
    }
    assert openers <= {
        "concord/ui/sign_in.py",
        "concord/ui/server/auth_routes.py",
        "concord/ui/screens/grade.py",
    }


def test_the_package_is_this_checkouts():
    assert Path(importlib.import_module("concord").__file__).is_relative_to(ROOT)


@pytest.mark.parametrize("path", modules("pages"), ids=name)
def test_a_page_enters_by_the_frame_and_hands_the_store_on(path):
    calls = [ast.unparse(node) for node in nodes(path) if isinstance(node, ast.Call)]
    assert "enter(__file__)" in calls
    asked = [
        f"line {node.lineno} asks the store itself: {ast.unparse(node)}"
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "store"
    ]
    assert asked == []


def test_sql_stands_beside_the_store_only():
    holders = {path for layer in SQL_STANDS_IN for path in modules(f"concord.{layer}")}
    elsewhere = [path for path in ALL if path not in holders]
    assert len(elsewhere) > 300 and found(elsewhere, _sql) == []
    assert found([ROOT / "concord/store/sheets.py"], _sql)


def _sql(path: Path) -> Iterator[tuple[int, str]]:
    return ((line, text) for line, text in _texts(path) if SQL.match(text))


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """Every text in a file; what an f-string computes stands in it as a question mark."""
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "?" for p in node.values)
            yield node.lineno, "".join(parts)


@pytest.mark.parametrize("path", modules("pages"), ids=name)
def test_a_page_does_no_arithmetic(path):
    assert [(n.lineno, ast.unparse(n)) for n in nodes(path) if _reckons(n)] == []


def _reckons(node: ast.AST) -> bool:
    """Whether a node computes with numbers; `+` may still join texts and lists."""
    if isinstance(node, ast.BinOp | ast.AugAssign):
        sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]
        counts = any(
            isinstance(s, ast.Constant) and isinstance(s.value, int | float) for s in sides
        )
        return isinstance(node.op, ARITHMETIC) or (isinstance(node.op, ast.Add) and counts)
    if isinstance(node, ast.Call):
        called = node.func
        return (isinstance(called, ast.Name) and called.id in RECKONING) or (
            isinstance(called, ast.Attribute) and called.attr in AVERAGING
        )
    return False


def test_no_randomness_without_a_seed():
    drawing = [path for path in ALL if re.search("andom|_rng", path.read_text(encoding="utf-8"))]
    assert len(drawing) > 10 and found(drawing, _unseeded) == []


def _unseeded(path: Path) -> Iterator[tuple[int, str]]:
    module = "random" in dict(imports(path))
    for node in nodes(path):
        if isinstance(node, ast.Attribute | ast.Call):
            said = ast.unparse(node)
            if UNSEEDED.fullmatch(said) or (module and re.fullmatch(r"random\.[a-z_]+", said)):
                yield node.lineno, said


def test_only_the_clock_asks_what_time_it_is():
    asking = found(ALL, _asks_the_time)
    assert asking and [place for place in asking if not place.startswith("concord/clock.py:")] == []


def _asks_the_time(path: Path) -> Iterator[tuple[int, str]]:
    for node in nodes(path):
        if isinstance(node, ast.Attribute) and node.attr in ASKED_FOR_THE_TIME:
            said = ast.unparse(node)
            if THE_TIME.fullmatch(said):
                yield node.lineno, said


def test_no_fault_is_swallowed():
    """`except Exception` hides bugs; only a clean-up that raises the fault again may catch all.

    The exemption is where files are read: whatever a reader raises means that the file is damaged,
    forged or not supported, and a list of what the libraries raise was never complete.
    """
    places = [place.partition(":")[0] for place in found(ALL, _swallowed)]
    assert places == READ_FILES_OF_ANY_CONTENT


def _swallowed(path: Path) -> Iterator[tuple[int, str]]:
    for node in nodes(path):
        if isinstance(node, ast.ExceptHandler) and _catches_all(node):
            yield node.lineno, "catches everything"


def _catches_all(handler: ast.ExceptHandler) -> bool:
    caught = ast.unparse(handler.type) if handler.type else "BaseException"
    last = handler.body[-1]
    raised_again = isinstance(last, ast.Raise) and last.exc is None
    return bool(re.search(r"\b(Base)?Exception\b", caught)) and not raised_again


def test_there_is_no_more_than_the_budget():
    """1% above what was reached is allowed; the remedy is to delete, then `--lower`."""
    now, most = budget.measured(), budget.budget()
    over = {
        f"{part} {key}": (number, most[part].get(key, 0))
        for part, counts in now.items()
        for key, number in counts.items()
        if number > 1.01 * most[part].get(key, 0)
    }
    assert over == {}


def test_modules_and_functions_stay_readable():
    assert found([*ALL, *TESTS], _long) == []


def _long(path: Path) -> Iterator[tuple[int, str]]:
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield node.lineno, f"{node.name} has {lines} lines"
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if lines > MODULE_LINES:
        yield lines, f"is the last of {lines} lines"


def test_no_file_names_a_machine_or_a_registry():
    places = "|".join(["work", "tmp", "root", "home", "Users"])
    hosts = "|".join(["pypi", "pythonhosted", "npmjs"])
    traces = re.compile(rf"(?<![\w.~])/({places})/\w|\b({hosts})\.(org|com)\b|\.\./shared\b")
    wrong = [
        f"{name(path)}: {match.group()}"
        for path in _text_files()
        for match in traces.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert wrong == []


def _text_files() -> Iterator[Path]:
    """Every file of the checkout that is text; not the environment, caches or the user's data."""
    rooms = [path for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")]
    places = [ROOT / ".ci", ROOT / ".streamlit", *rooms]
    for path in [*ROOT.iterdir(), *(path for place in places for path in place.rglob("*"))]:
        generated = {"__pycache__", "test-results", ".git"} & {*path.parts}
        ours = path.is_file() and not generated and ".db" not in path.name
        if ours and b"\0" not in path.read_bytes():
            yield path


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        # All that a run of a judge that sends requests imports after its last grade, too.
        ("concord.reports.workflow.runs", ("pandas", "sklearn", "scipy", "streamlit", "plotly")),
        (
            "concord.cli",
            ("pandas", "sklearn", "scipy", "openai", "streamlit", "plotly"),
        ),
        (
            "concord.judges.run.judging",
            ("pandas", "numpy", "sklearn", "streamlit"),
        ),
        ("concord.reports.gate", ("aiohttp", "openai", "sklearn", "scipy.stats", "plotly")),
        ("concord.reports.decision.choose", ("aiohttp", "openai", "sklearn", "scipy.stats")),
        ("concord.reports.lists", ("pandas", "numpy", "scipy", "sklearn", "streamlit", "plotly")),
    ],
)
def test_what_starts_often_starts_without_what_only_some_need(module, heavy):
    script = f"import {module}, sys; print(*[name for name in {heavy} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
