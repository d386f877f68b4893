"""The recorded commands, and the reduction of their JSON to figures, names and codes."""

import json
import math
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.golden.databases import CERTIFICATE
from tests.support import commandline
from tests.support.endpoint import Endpoint
from tests.support.files import HARBOUR
from tests.support.judges.building import writer

GOLDEN = Path(__file__).parent
DIGITS = 9  # significant digits that must be as recorded: processors round the last ones apart

EVERYWHERE = ("sheets", "splits", "graders", "agreement", "annotators --graders")
# Of sheets whose answers are graded as a whole.
WHOLE = (
    *("ranking", "compare", "cascade", "disagreements --limit 10", "adjudicate"),
    *("regrade --criterion correctness", "judge gpt-6-luna-zero-shot --estimate"),
)
RATES = "ranking --correct rates"
# {certificate} and {export} lie beside the database, {new} is what the command writes; {judge} and
# {writer} are judges at local servers, of which one grades, and one drafts and answers.
COMMANDS: dict[str, tuple[str, ...]] = {
    "empty": (
        *(*EVERYWHERE, *WHOLE, "plan", "metrics", "judges", "prices", "rubrics", "members"),
        *("choose", "disagreements --contradicted", "demo"),
        "build {documents} --judge {writer} --yes",
        "import data/samples/sample.jsonl --sheet again",
        "import data/samples/sample.jsonl --sheet again --dry-run",
    ),
    "sample": (
        *(*EVERYWHERE, *WHOLE, RATES, "choose", "plan"),
        "agreement --reference consensus",
        "choose --against simulated-careful-judge --minimum 0.5",
        "cascade --cheap simulated-lenient-judge",
        "gate --judge simulated-careful-judge --exact 0.5 --within-one 0.5",
        "answers --model birch --sort length --limit 3",
        "grades data/samples/sample_grades.csv",
        "judge baseline --yes",
        "backup {new}",
        "metrics --sheet sample",
        "annotators --criterion correctness",
    ),
    "unequal": (
        *(*EVERYWHERE, *WHOLE, RATES, "campaign First"),
        "choose --against strict",
        "cascade --cheap lenient --second strict",
        "gate --judge strict --exact 0.9 --failure-recall 0.9",
    ),
    "units": (
        *(*EVERYWHERE, "metrics --sheet units", "disagreements --contradicted --limit 100"),
        "gate --judge rag-metrics --rubric claims-in-contexts --exact 0.5 --failure-recall 0.3",
        "agreement --rubric claims-in-contexts --all",
        "judge {judge} --yes",
        "check {judge}",
        "check {judge} --canaries --yes",
        "build --answer --judge {writer} --yes",
    ),
    "simulated": (
        *(*EVERYWHERE, *WHOLE, RATES, "gold 'Set 1' --training", "gold 'Set 1'"),
        "agreement --annotators Ana --by answer_model",
        "choose --against careful --margin 0.15 --minimum 0.2 --failure-recall 0.2 --holds",
        "cascade --cheap lenient --second constant --at-most 0.4",
        "campaign 'Set 1'",
        "gate --judge careful --exact 0.4",
        "gate --certificate {certificate}",
        "certificate careful --days 30",
        "verify {certificate} --from {export}",
        "disagreements --cause tagged",
        "adjudicate --draw 5",
        "export {new} --all",
    ),
}

# What holds a number of nobody's interest, or changes from run to run or machine to machine.
_LEFT_OUT = {"digest", "file", "files", "sha256", "url", "seconds", "seconds_p95", "about"}
_LEFT_OUT |= {"method", "why_none", "sentence", "summary", "translations", "signature"}
_ESTIMATE = {"value", "low", "high", "why_code"}
_WORD = re.compile(r"[^\s{]{0,60}( [^\s{]{1,20})?")


def said(db: Path, command: str) -> Any:
    """Return what a command says of a copy of the database, reduced; with its code if it fails."""
    folder, copy = db.parent, db.parent / "copy.db"
    words = shlex.split(command)
    with ExitStack() as servers:
        here = {"{certificate}": folder / CERTIFICATE, "{export}": folder / "export"}
        here["{new}"] = folder / "new"
        if {"{judge}", "{writer}"} & {*words}:
            here |= _servers(folder, servers)
        copy.write_bytes(db.read_bytes())
        result = commandline.invoke(copy, *(here.get(word, word) for word in words), "--json")
    for beside in folder.glob("copy.db*"):
        beside.unlink() if beside.is_file() else shutil.rmtree(beside)
    shutil.rmtree(folder / "new", ignore_errors=True)
    (folder / "new").unlink(missing_ok=True)
    document = reduced(json.loads(result.stdout)) if result.stdout else None
    return document if result.exit_code == 0 else {"exit": result.exit_code, "json": document}


def _servers(folder: Path, servers: ExitStack) -> dict[str, Path | str]:
    """Start what stands for {judge} and {writer}; write {documents}."""
    (folder / "port").mkdir(exist_ok=True)
    (folder / "port" / "harbour.md").write_text(HARBOUR * 3)
    (folder / "port" / "short.txt").write_text("Too short.")
    here: dict[str, Path | str] = {"{documents}": folder / "port"}
    for name, server in (("judge", Endpoint()), ("writer", Endpoint(write=writer))):
        servers.enter_context(server)
        (folder / name).mkdir(exist_ok=True)
        price = "{ input = 1, output = 4 }"
        here[f"{{{name}}}"] = commandline.judge_file(folder / name, server.url, price=price)
    return here


def reduced(document: Any) -> Any:
    """Drop sentences and what is volatile; an estimate becomes [value, low, high]."""
    if isinstance(document, dict):
        if document.keys() >= _ESTIMATE:
            limits = [reduced(document[key]) for key in ("value", "low", "high", "why_code")]
            rest = {k: v for k, v in document.items() if k not in _ESTIMATE}
            rest = {k: v for k, v in reduced(rest).items() if v is not None}
            return [*(limits if limits[3] else limits[:3]), *([rest] if rest else [])]
        kept = {k: reduced(v) for k, v in document.items() if k not in _LEFT_OUT}
        return {k: v for k, v in kept.items() if v is not Ellipsis}
    if isinstance(document, list):
        return [v for v in map(reduced, document) if v is not Ellipsis]
    if isinstance(document, str):
        return document if _WORD.fullmatch(document) else Ellipsis
    if isinstance(document, float):
        return float(f"{document:.{DIGITS}g}")
    return document


def differences(old: Any, new: Any, at: str = "$") -> Iterator[str]:
    """Yield where a reduced document is not as recorded, path by path; numbers to `DIGITS`."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if key in old and key in new:
                yield from differences(old[key], new[key], f"{at}.{key}")
            else:
                yield f"{at}.{key}: {'is new' if key in new else 'is gone'}"
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, pair in enumerate(zip(old, new, strict=True)):
            yield from differences(*pair, f"{at}[{place}]")
    elif not _alike(old, new):
        yield f"{at}: {old!r} was recorded, {new!r} is there"


def _alike(old: Any, new: Any) -> bool:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (old, new))
    if not numbers:
        return type(old) is type(new) and old == new
    return math.isclose(old, new, rel_tol=10.0 ** (1 - DIGITS), abs_tol=10.0**-DIGITS)
