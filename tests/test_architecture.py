"""The house as drawn: which way imports point, who touches what, and how long things may grow.

Everything is read from the source (`ast`), so an import inside a function counts as well.
"""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from source import ALL, ROOMS, ROOT, TESTS, imports, modules, name, nodes

EVERY_ROOM = ("stats", "rubrics", "data", "judges", "metrics", "reports", "problems", "words")

# Room -> what of ours it may import, beside itself.
MAY_IMPORT = {
    "words": (),
    "problems": (),
    "stats": ("words",),
    "rubrics": ("problems", "words"),
    "data": ("rubrics", "problems", "words"),
    "judges": ("rubrics", "data", "problems", "words"),
    "metrics": ("judges", "rubrics", "data.model", "problems", "words"),
    "reports": EVERY_ROOM,
    "ui": EVERY_ROOM,
    "pages": (*EVERY_ROOM, "ui"),
    "verbs": EVERY_ROOM,
    "cli": ("verbs", "problems"),
    "app": ("ui", "words"),
    "server": ("ui",),
}
SCREENS, DATABASES = ("streamlit", "plotly"), ("sqlite3", "sqlite_utils")
# Room -> what of others' it must never import.
MUST_NOT_IMPORT = {
    "words": (*SCREENS, *DATABASES, "openai"),
    "problems": (*SCREENS, *DATABASES, "openai"),
    "stats": (*SCREENS, *DATABASES, "openai", "pydantic", "random"),
    "rubrics": (*SCREENS, *DATABASES, "openai"),
    "data": (*SCREENS, "openai"),
    "judges": (*SCREENS, *DATABASES),
    "metrics": (*SCREENS, *DATABASES, "openai"),
    "reports": (*SCREENS, *DATABASES, "openai"),
    "ui": (*DATABASES, "openai"),
    "pages": (*DATABASES, "plotly", "numpy", "openai"),
    "verbs": (*SCREENS, *DATABASES, "openai"),
    "cli": (*SCREENS, *DATABASES, "openai"),
    "app": (*DATABASES, "openai"),
    "server": (*DATABASES, "openai"),
}
ONLY_IN = {
    "sqlite3": {"data/store.py", "data/guard.py"},
    "sqlite_utils": {"data/store.py"},
    "openai": {"judges/client.py"},
    "httpx2": {"judges/client.py"},
    "aiohttp": {"judges/wire.py"},
}
THE_TIME = re.compile(
    r"(\w+\.)*(datetime|date)\.(now|utcnow|today)|time\.(time|time_ns|localtime|gmtime)"
)
ASKED_FOR_THE_TIME = {"now", "utcnow", "today", "time", "time_ns", "localtime", "gmtime"}

DOOR_OF_READERS = "data/files/untrusted.py"

MODULE_LINES, FUNCTION_LINES = 600, 60

ARITHMETIC = (ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
RECKONING = {"sum", "round", "abs", "divmod", "pow"}
AVERAGING = {"mean", "median", "std", "var", "quantile", "corr"}
SQL = re.compile(
    r"\s*(select\s.+\sfrom|insert\s+into|update\s+\w+\s+set|delete\s+from|pragma)\s", re.DOTALL
)
SEEDED = {"default_rng", "Generator", "SeedSequence", "PCG64", "BitGenerator", "RandomState"}


@pytest.fixture(scope="module", autouse=True)
def read_once():
    """Each file is parsed once, and let go of when every rule has seen it."""
    yield
    nodes.cache_clear()


def within(module: str, places: tuple[str, ...]) -> bool:
    return any(module == place or module.startswith(f"{place}.") for place in places)


def found(paths: Iterable[Path], wrong: Callable[[Path], Iterable[tuple[int, str]]]) -> list[str]:
    """What is wrong in files, each with its place."""
    return [f"{name(path)}:{line} {what}" for path in paths for line, what in wrong(path)]


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_point_one_way(room):
    itself = () if room == "pages" else (room,)
    wrong = [
        f"{name(path)}:{line} imports {module}"
        for path in modules(room)
        for module, line in imports(path)
        if within(module, (*MAY_IMPORT, "tests")) and not within(module, MAY_IMPORT[room] + itself)
    ]
    assert wrong == []


@pytest.mark.parametrize("room", MUST_NOT_IMPORT)
def test_a_room_keeps_out_what_it_must_not_touch(room):
    wrong = [
        f"{name(path)}:{line} imports {module}"
        for path in modules(room)
        for module, line in imports(path)
        if within(module, MUST_NOT_IMPORT[room])
        and name(path) not in ONLY_IN.get(module.split(".")[0], ())
    ]
    assert wrong == []


@pytest.mark.parametrize(("module", "places"), ONLY_IN.items())
def test_only_their_modules_import_what_reaches_outside(module, places):
    importers = {name(path) for path in ALL for used, _ in imports(path) if within(used, (module,))}
    assert importers <= places


@pytest.mark.parametrize("room", ["ui", "pages"])
def test_screens_open_the_store_as_the_person_before_them_may_reach_it(room):
    """The doors know nobody yet, and units that a rule makes are nobody's grades."""
    openers = {
        name(path)
        for path in modules(room)
        for module, _ in imports(path)
        if module == "data.store.open_store"
    }
    assert openers <= {"ui/sign_in.py", "ui/doors.py", "ui/grader.py"}


def test_every_room_stands_in_the_tables():
    folders = {path.parent.relative_to(ROOT).parts[0] for path in ROOT.glob("[!.]*/*.py")}
    files = {path.stem for path in ROOT.glob("*.py")}
    assert folders | files <= {*MAY_IMPORT, "tests", "benchmarks", "docs"}
    assert MAY_IMPORT.keys() == MUST_NOT_IMPORT.keys() == {*ROOMS}


@pytest.mark.parametrize("room", [room for room in MAY_IMPORT if room not in ("pages", "app")])
def test_each_package_is_this_checkouts(room):
    """`data` and `stats` are common names: another installed package must not stand in for ours."""
    assert Path(importlib.import_module(room).__file__).is_relative_to(ROOT)


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


def test_sql_stands_in_the_room_of_the_store_only():
    elsewhere = [path for path in ALL if path not in modules("data")]
    assert len(elsewhere) > 300 and found(elsewhere, _sql) == []
    assert found([ROOT / "data/sheets.py"], _sql)


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


@pytest.mark.parametrize(
    ("source", "reckons"),
    [
        ("a - b", True),
        ("n + 1", True),
        ("total / 2", True),
        ("i += 1", True),
        ("round(x, 2)", True),
        ("frame.x.mean()", True),
        ("'Grade ' + title", False),
        ("first | second", False),
        ("rows[-1]", False),
    ],
)
def test_arithmetic_is_told_from_joining_texts(source, reckons):
    assert any(map(_reckons, ast.walk(ast.parse(source)))) is reckons


def test_no_randomness_without_a_seed():
    assert found(ALL, _unseeded) == []


def _unseeded(path: Path) -> Iterator[tuple[int, str]]:
    """Uses of a global random state: `random.shuffle`, `np.random.normal`, `default_rng()`."""
    used = dict(imports(path))
    imports_random = "random" in used
    drawn_from = {module for module in used if within(module, ("random",))}
    for module in drawn_from - {"random", "random.Random"}:
        yield used[module], module
    for node in nodes(path):
        if isinstance(node, ast.Attribute) and _is_random(node.value):
            owner, drawn = ast.unparse(node.value), node.attr
            numpys = owner in ("np.random", "numpy.random") and drawn not in SEEDED
            pythons = imports_random and owner == "random" and drawn != "Random"
            if numpys or pythons:
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Call) and not node.args and not node.keywords:
            said = ast.unparse(node)
            if said.endswith(("default_rng()", "RandomState()", "Random()")):
                yield node.lineno, said


def _is_random(node: ast.AST) -> bool:
    """Whether an expression's last name is `random`."""
    return "random" in (getattr(node, "attr", ""), getattr(node, "id", ""))


def test_only_the_clock_asks_what_time_it_is():
    asking = found(ALL, _asks_the_time)
    assert asking and [place for place in asking if not place.startswith("data/clock.py:")] == []


def _asks_the_time(path: Path) -> Iterator[tuple[int, str]]:
    for node in nodes(path):
        if isinstance(node, ast.Attribute) and node.attr in ASKED_FOR_THE_TIME:
            said = ast.unparse(node)
            if THE_TIME.fullmatch(said):
                yield node.lineno, said


def test_no_fault_is_swallowed():
    """`except Exception` hides bugs; only a clean-up that raises the fault again may catch all.

    The one exemption is the door of the readers: whatever a reader raises means that the file is
    damaged or not supported, and a list of what the libraries raise was never complete.
    """
    assert [place.partition(":")[0] for place in found(ALL, _swallowed)] == [DOOR_OF_READERS]


def _swallowed(path: Path) -> Iterator[tuple[int, str]]:
    for node in nodes(path):
        if isinstance(node, ast.ExceptHandler) and _catches_all(node):
            yield node.lineno, "catches everything"


def _catches_all(handler: ast.ExceptHandler) -> bool:
    caught = ast.unparse(handler.type) if handler.type else "BaseException"
    last = handler.body[-1]
    raised_again = isinstance(last, ast.Raise) and last.exc is None
    return bool(re.search(r"\b(Base)?Exception\b", caught)) and not raised_again


def test_modules_and_functions_stay_short():
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
        for match in traces.finditer(path.read_text(encoding="utf-8"))
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
        ("cli", ("pandas", "sklearn", "scipy", "openai", "sqlite_utils", "streamlit", "plotly")),
        ("judges.session", ("pandas", "numpy", "sklearn", "sqlite_utils", "streamlit")),
    ],
)
def test_what_starts_often_starts_without_what_only_some_need(module, heavy):
    script = f"import {module}, sys; print(*[name for name in {heavy} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
