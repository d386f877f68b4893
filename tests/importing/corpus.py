"""The import corpus: files of every shape, how each is imported, and what comes of it.

`corpus.jsonl` holds one case per line: `files` (text; `base64` of other bytes; `of`, a file beside
the tests), `run` (commands on an empty database, one after another) and `then` (what came of each:
`refused` with a code and where, or counts and faults by code, and what the store holds after the
last). A file that is refused for bad rows is also imported with --partial. Contents
of more than 800 characters are a digest. After a change that is meant, record anew and read the
difference:

    python -m tests.importing.corpus --record [WORDS OF A NAME]
"""

import base64
import contextlib
import hashlib
import io
import json
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from concord.cli import cli
from concord.messages import Problem
from concord.store.database import open_store

CORPUS = Path(__file__).with_name("corpus.jsonl")
SHOWN = 800
_ITEMS = (
    "select s.name as sheet, i.own_id, q.own_id as question_id, q.cluster, q.text as question,"
    " i.contexts, i.answer, i.answer_model, i.reference, i.reference_contexts, i.turns,"
    " i.synthetic, i.metadata from items i join questions q on q.id = i.question_id"
    " join sheets s on s.id = i.sheet_id order by i.id"
)
_GRADES = "select row_number() over (order by i.id) as n, i.id from items i"  # position of an item
_GRADED = (
    f"select p.n as item, u.text as unit, c.name as criterion, r.kind, r.name as grader,"
    " r.simulated, g.status, g.score, g.label, g.repeat, g.blind, g.reason, g.quote, g.seconds,"
    " g.rubric_language, d.source, d.probabilities, d.outside from grades g"
    f" join ({_GRADES}) p on p.id = g.item_id join criteria c on c.version = g.version"
    " join graders r on r.id = g.grader_id left join units u on u.id = g.unit_id"
    " left join distributions d on d.grade_id = g.id order by g.id"
)
_COUNTED = (
    "items", "items_unchanged", "items_extended", "grades", "grades_unchanged", "grades_replaced",
    "bad_rows",
)  # fmt: skip


def cases() -> list[dict[str, Any]]:
    """Return every case of the corpus."""
    return [
        json.loads(line) for line in CORPUS.read_text(encoding="utf-8").rstrip("\n").split("\n")
    ]


def outcomes(case: dict[str, Any], empty: Path, folder: Path) -> list[dict[str, Any]]:
    """Run a case on a copy of the `empty` database in an empty folder; return what came of it."""
    for name, content in case["files"].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_bytes(content))
    db = Path(shutil.copy(empty, folder / "corpus.db"))
    with contextlib.chdir(folder):
        found = [_run(db, words) for words in case["run"]]
        if _takes_the_rest(case["run"][-1], found[-1]):
            partial = Path(shutil.copy(empty, folder / "partial.db"))
            for words in case["run"][:-1]:
                _run(partial, words)
            found.append(_run(partial, [*case["run"][-1], "--partial"]))
            db = partial
    return [*found, _stored(db)] if "refused" not in found[-1] else found


def _takes_the_rest(words: list[str], found: dict[str, Any]) -> bool:
    refused = found.get("refused")
    return refused == "bad_rows" or (refused == "contradicts" and words[0] == "import")


def _bytes(content: str | dict[str, str]) -> bytes:
    if isinstance(content, str):
        return content.encode()
    if "of" in content:
        return (Path(__file__).parent / content["of"]).read_bytes()
    return base64.b64decode(content["base64"])


def _run(db: Path, words: list[str]) -> dict[str, Any]:
    said = io.StringIO()
    verb, *rest = words
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            cli.commands[verb].main([*rest, "--json"], obj=str(db), standalone_mode=False)
    except Problem as problem:
        return {"refused": problem.code} | _at(problem)
    except click.UsageError as error:
        return {"refused": type(error).__name__}
    found = json.loads(said.getvalue())
    done = [_done(one) for one in found.get("sheets", [found])]
    return done[0] if len(done) == 1 else {"sheets": done}


def _at(problem: Problem) -> dict[str, Any]:
    """Return the field and the columns in which a file is refused, where the fault names any."""
    values = getattr(problem.args[0], "values", {})
    told = {key: str(values.get(key) or "") for key in ("field", "column", "columns")}
    named = {key: text for key, text in told.items() if text and not text.endswith(".")}
    return {"at": named} if named else {}


def _done(found: dict[str, Any]) -> dict[str, Any]:
    """Return what an import counted, without what is 0 or empty."""
    done = {key: found[key] for key in _COUNTED if found.get(key)}
    done["conflicts"] = [[one["code"], one["column"], one["row"]] for one in found["conflicts"]]
    done["faults"] = [
        [one["code"], one["column"], one["count"], one["rows"]] for one in found["faults"]
    ]
    done["flags"] = found.get("flags")
    done["found"] = _recognised(found["found"]) if found.get("found") else None
    done["lists"] = {key: n for key, n in found.get("lists", {}).items() if n}
    return {"rubric": found["rubric"]} | {key: one for key, one in done.items() if one}


def _recognised(found: dict[str, Any]) -> dict[str, Any]:
    """Return what there is in the export of a tool; of what is left out the counts."""
    left = [one["count"] for one in found["left_out"]]
    return {key: one for key, one in (found | {"left_out": left}).items() if one}


def _stored(db: Path) -> dict[str, Any]:
    """Return the answers and grades of a database, in the order of the file."""
    with contextlib.closing(sqlite3.connect(db)) as store:
        store.row_factory = sqlite3.Row
        items = [_plain(row) for row in store.execute(_ITEMS)]
        grades = [_plain(row) for row in store.execute(_GRADED)]
    graders = sorted({f"{one['kind']} {one['grader']}" for one in grades})
    return {
        "questions": len(
            {(one["question"], one.get("question_id"), one.get("cluster")) for one in items}
        ),
        "models": sorted({one.get("answer_model", "") for one in items}),
        "graders": graders,
        "answers": _shown(items),
        "grades": _shown(grades),
    }


def _plain(row: sqlite3.Row) -> dict[str, Any]:
    """Return a row without what is empty; what is stored as JSON is read."""
    plain = {}
    for key in row.keys():  # noqa: SIM118 - a Row is no mapping
        value = row[key]
        if (
            isinstance(value, str)
            and value[:1] in ("[", "{")
            and key not in ("answer", "question", "reason", "quote")
        ):
            value = json.loads(value)
        if value not in (None, "", [], {}, 0) or (key == "score" and value == 0):
            plain[key] = value
    return plain


def _shown(rows: list[dict[str, Any]]) -> Any:
    text = json.dumps(rows, ensure_ascii=False, sort_keys=True)
    if len(text) <= SHOWN:
        return rows
    return f"{len(rows)} {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def record(words: list[str]) -> None:
    """Write what comes of the cases today; with `words` only of these, by a part of their name."""
    with tempfile.TemporaryDirectory() as folder:
        open_store(empty := Path(folder, "empty.db")).close()
        found = cases()
        for case in found:
            if not words or any(word in case["name"] for word in words):
                with tempfile.TemporaryDirectory() as own:
                    case["then"] = outcomes(case, empty, Path(own))
    lines = [json.dumps(case, ensure_ascii=False) + "\n" for case in found]
    CORPUS.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__" and sys.argv[1:2] == ["--record"]:
    record(sys.argv[2:])
