"""How much there is of Concord, beside the most there may be (tests/budget.toml).

    python -m tests.support.budget            print both
    python -m tests.support.budget --lower    write what was reached into the file

`code` are tokens without docstrings, comments, imports and line ends, so that neither packing lines
nor deleting docstrings changes it. `texts` are distinct string literals of two words or more,
wherever they stand. `carriers` are dataclasses, named tuples, pydantic and typed-dict classes.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator

from concord.resources import ROOT

FILE = ROOT / "tests" / "budget.toml"
_BASES = {"NamedTuple", "TypedDict", "BaseModel", "Struct", "RootModel"}
_LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}
_SQL = (
    r"(?!\s*\)?\s*(?:select|insert|update|delete|create|with|drop|pragma|union|attach|from|where|and"
    r"|join|t join)\b.*[(=*_.])"
)
_TEXT = re.compile(rf"^{_SQL}(?s:.*)(?:[^\W\d_]{{2,}}|\}})[,;:]? (?:[^\W\d_]{{2,}}|\{{)")
_QUOTED = re.compile(r'"([^"\n]{8,})"|\'([^\'\n]{8,})\'|>([^<>{}\n]{8,})<')


def measured() -> dict[str, dict[str, int]]:
    """Return `code`, by package of concord/ (the root's files as `root`), and `total`, by kind."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    files = {name: ROOT / name for name in listed.stdout.split("\n") if (ROOT / name).is_file()}
    code: Counter[str] = Counter()
    total: Counter[str] = Counter()
    texts: set[str] = set()
    classes: list[tuple[str, set[str], bool]] = []
    for name, path in files.items():
        top, *rest = name.split("/")
        if top in ("tests", "benchmarks") and name.endswith(".py"):
            total[f"{top.removesuffix('s')}_code"] += _tokens(path.read_text(encoding="utf-8"))
            total["test_files"] += top == "tests"
        elif name.endswith(".py"):
            package = rest[0] if top == "concord" and len(rest) > 1 else "root"
            source = path.read_text(encoding="utf-8")
            code[package] += _tokens(source)
            total["modules"] += 1
            texts |= {*_literals(source)}
            classes += _classes(source)
        elif top == "concord" and path.suffix in (".toml", ".jinja", ".js"):
            groups = _QUOTED.findall(path.read_text(encoding="utf-8"))
            texts |= {text for group in groups for text in group if _TEXT.search(text)}
        elif name.endswith(".md") and top not in ("tests", "data"):
            total["docs_words"] += len(path.read_text(encoding="utf-8").split())
        if name.startswith("tests/golden/"):
            total["golden_kb"] += path.stat().st_size
        elif re.fullmatch(r"requirements[^/]*\.txt|[^/]*\.lock", name):
            total["lock_kb"] += path.stat().st_size
    carriers = {name for name, _, is_carrier in classes if is_carrier}
    total["carriers"] = sum(known or bool(bases & carriers) for _, bases, known in classes)
    total["texts"], total["code"] = len(texts), sum(code.values())
    for sized in ("golden_kb", "lock_kb"):
        total[sized] //= 1000
    return {"code": dict(sorted(code.items())), "total": dict(sorted(total.items()))}


def budget() -> dict[str, dict[str, int]]:
    """Return the most there may be."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def _docstrings(tree: ast.Module) -> list[ast.Expr]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = [node.body[0] for node in ast.walk(tree) if isinstance(node, kinds) and node.body]
    expressions = [node for node in first if isinstance(node, ast.Expr)]
    return [
        node
        for node in expressions
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]


def _tokens(source: str) -> int:
    tree = ast.parse(source)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    skipped = {
        line
        for node in [*_docstrings(tree), *imports]
        for line in range(node.lineno, node.end_lineno + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return sum(token.type not in _LAYOUT and token.start[0] not in skipped for token in tokens)


def _literals(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    documentation = {id(node.value) for node in _docstrings(tree)}
    for node in ast.walk(tree):
        text = ""
        if isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
            text = "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = "" if id(node) in documentation else node.value
        if _TEXT.search(text):
            yield text


def _classes(source: str) -> Iterator[tuple[str, set[str], bool]]:
    """Yield each class with the names of its bases, and whether it is a carrier by itself."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            made = {_name(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list}
            bases = {_name(b.value if isinstance(b, ast.Subscript) else b) for b in node.bases}
            yield node.name, bases, "dataclass" in made or bool(_BASES & bases)


def _name(node: ast.expr) -> str:
    return getattr(node, "id", getattr(node, "attr", ""))


def main(lower: bool) -> None:
    """Print what there is beside its budget; with `lower` write it down where it is less."""
    now, most = measured(), budget() if FILE.exists() else {}
    kept = {
        part: {k: min(n, most.get(part, {}).get(k, n)) for k, n in counts.items()}
        for part, counts in now.items()
    }
    for part, counts in now.items():
        for key, number in counts.items():
            print(f"{part:6}{key:16}{number:>10,}{most.get(part, {}).get(key, 0):>12,}")
    if lower:
        head = (
            "# The most there may be: what was reached. `python -m tests.support.budget --lower`.\n"
        )
        body = "\n".join(
            f"[{part}]\n" + "".join(f"{k} = {n:_}\n" for k, n in counts.items())
            for part, counts in kept.items()
        )
        FILE.write_text(head + body, encoding="utf-8")


if __name__ == "__main__":
    main("--lower" in sys.argv)
