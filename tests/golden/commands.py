"""The commands that are recorded, what they say, and how a record is held against what is said."""

import json
import math
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from concord.store.json_names import RENAMED
from tests.golden.databases import CERTIFICATE
from tests.support import commandline
from tests.support.documents import HARBOUR
from tests.support.endpoint import Endpoint
from tests.support.judges.building import writer

GOLDEN = Path(__file__).parent
# Of a number that must be as recorded: processors round the last digits differently, and the
# inverse of a matrix magnifies that.
DIGITS = 9

# Old name of a key in JSON -> its new one. Records are translated by it, and stay as they are.
RENAMES: dict[str, str] = {
    **RENAMED,
    "no person's grade": "no annotator's grade",
    "people have no consensus": "annotators have no consensus",
    "simulated: people": "simulated: annotators",
    "unequal: people": "unequal: annotators",
}

# What differs from run to run or from machine to machine, and what stands for it; {folder} is
# where the database lies.
# The digest of a certificate covers the last digit of each figure, which processors round apart.
VOLATILE = (
    ("{folder}", "FOLDER"),
    (r'(?m)^( "digest": )"[0-9a-f]{16}"', r'\1"DIGEST"'),
    (r"(Digest <code>)[0-9a-f]{16}", r"\1DIGEST"),
)
# Of what a server was asked: its port, and how long it took.
OF_A_SERVER = (
    (r"http://127\.0\.0\.1:\d+", "SERVER"),
    (r'"seconds": [\d.e-]+', '"seconds": 1'),
    (r"answered in [\d.]+ s", "answered in 0.01 s"),
)

EVERYWHERE = {
    "sheets": "sheets",
    "splits": "splits",
    "graders": "graders",
    "agreement": "agreement",
    "agreement-all": "agreement --all",
    "composites": "composites",
    "topicality": "topicality --whole",
    "annotators": "annotators --graders",
}
# Of sheets whose answers are graded as a whole.
WHOLE = {
    "ranking": "ranking",
    "compare": "compare",
    "cascade": "cascade",
    "disagreements": "disagreements --limit 10",
    "adjudicate": "adjudicate",
    "regrade": "regrade --criterion correctness",
    "judge-estimate": "judge gpt-6-luna-zero-shot --estimate",
}
RANKINGS = WHOLE | {
    "ranking-rates": "ranking --correct rates",
    "ranking-matrix": "ranking --correct matrix",
}
# {certificate} and {export} are beside the database, and {new} is what the command writes. {judge}
# and {writer} are judges at local servers, of which one grades, and one drafts and answers. What
# `app`, `spread` and `recheck` do is not recorded: the first two are processes with times of their
# own, and the last asks a certificate's judge again, as tests/reports/certificate does.
ONLY = {
    "empty": WHOLE
    | {
        "plan": "plan",
        "metrics": "metrics",
        "judges": "judges",
        "prices": "prices",
        "judges-endpoint": "judges --endpoint ollama",
        "rubrics": "rubrics",
        "members": "members",
        "choose": "choose",
        "drafts": "drafts",
        "app": "app --help",
        "spread": "spread --help",
        "recheck": "recheck --help",
        "build": "build {documents} --judge {writer} --yes",
        "confidence": "confidence",
        "contradicted": "contradicted",
        "demo": "demo",
        "import": "import data/samples/sample.jsonl --sheet again",
        "import-dry-run": "import data/samples/sample.jsonl --sheet again --dry-run",
    },
    "sample": RANKINGS
    | {
        "agreement-consensus": "agreement --reference consensus",
        "choose": "choose",
        "choose-careful": "choose --against simulated-careful-judge --minimum 0.5",
        "cascade-lenient": "cascade --cheap simulated-lenient-judge",
        "confidence": "confidence",
        "gate": "gate --judge simulated-careful-judge --exact 0.5 --within-one 0.5",
        "plan": "plan",
        "study-agreement": "compare --study agreement",
        "study-reading": "compare --study reading",
        "answers": "answers --model birch --sort length --limit 3",
        "grades": "grades data/samples/sample_grades.csv",
        "judge-baseline": "judge baseline --yes",
        "backup": "backup {new}",
        "metrics": "metrics --sheet sample",
        "rubrics-of-sheet": "rubrics --sheet sample",
        "annotators-of-sheet": "annotators --criterion correctness --most 3 --zone Asia/Tokyo",
    },
    "unequal": RANKINGS
    | {
        "choose-strict": "choose --against strict",
        "cascade-lenient": "cascade --cheap lenient --second strict",
        "campaign": "campaign First",
        "gate": "gate --judge strict --exact 0.9 --failure-recall 0.9",
        "pack": "pack First --grader Cleo --form jsonl --out {new}",
    },
    "units": {
        "metrics": "metrics --sheet units",
        "topicality-sets": "topicality --on pumps",
        "composites-weighted": "composites --weight faithfulness=2 --weight response_relevancy=1"
        " --new birch --baseline atlas",
        "gate": "gate --judge rag-metrics --rubric claims-in-contexts --exact 0.5"
        " --failure-recall 0.3",
        "gate-metric": "gate --metric faithfulness --at-least 0.5",
        "agreement-claims": "agreement --rubric claims-in-contexts --all",
        "contradicted-all": "contradicted --limit 100",
        "judge-paid": "judge {judge} --yes",
        "check": "check {judge}",
        "check-canaries": "check {judge} --canaries --yes",
        "answer": "answer {writer} --yes",
    },
    "simulated": RANKINGS
    | {
        "agreement-models": "agreement --annotators Ana --by answer_model",
        "choose-careful": "choose --against careful --margin 0.15 --minimum 0.2"
        " --failure-recall 0.2 --holds",
        "cascade-lenient": "cascade --cheap lenient --second constant --at-most 0.4",
        "campaign": "campaign 'Set 1' --pilot",
        "training": "training 'Set 1'",
        "gold": "gold 'Set 1'",
        "gate": "gate --judge careful --exact 0.4",
        "gate-certificate": "gate --certificate {certificate}",
        "certificate": "certificate careful --days 30",
        "verify": "verify {certificate} --from {export}",
        "study-scales": "compare --study scales",
        "disagreements-tagged": "disagreements --cause tagged",
        "disagreements-regrade": "disagreements --regrade --criterion correctness",
        "adjudicate-draw": "adjudicate --draw 5",
        "export": "export {new}",
    },
}
# What these say in JSON another one does, or they are asked for their options.
TEXT_ALONE = ("agreement-all", "app", "spread", "recheck")


def of(database: str) -> dict[str, str]:
    """The commands that are recorded of a database, by the name of their files."""
    return EVERYWHERE | ONLY[database]


def recorded(database: str, name: str, db: Path) -> dict[Path, str]:
    """What a command says of a database: file of the record -> its content.

    A command runs on a copy of its own each time, since some note that somebody looked.
    """
    here = {"{certificate}": db.parent / CERTIFICATE, "{export}": db.parent / "export"}
    here["{new}"] = db.parent / "new"
    words = shlex.split(of(database)[name])
    with _servers(db.parent, words) as there:
        words = [str((here | there).get(word, word)) for word in words]
        return _said(GOLDEN / database / name, db, words, VOLATILE + OF_A_SERVER * bool(there))


def _said(place: Path, db: Path, words: list[str], volatile: tuple) -> dict[Path, str]:
    """What a command prints, and its JSON document: file of the record -> its content."""
    copy, found = db.parent / "copy.db", {}
    for suffix, more in ((".txt", ()), (".json", ("--json",))):
        if more and place.name in TEXT_ALONE:
            continue
        copy.write_bytes(db.read_bytes())
        result = commandline.invoke(copy, *words, *more)
        if not more:
            text = f"exit code {result.exit_code}\n{result.stdout}"
            text += f"\n--- on standard error\n{result.stderr}" if result.stderr else ""
            found[place.with_suffix(suffix)] = steadied(text, db.parent, volatile)
        elif result.stdout:
            text = json.dumps(json.loads(result.stdout), ensure_ascii=False, indent=1) + "\n"
            found[place.with_suffix(suffix)] = steadied(text, db.parent, volatile)
        for beside in copy.parent.glob(f"{copy.name}*"):
            _removed(beside)
        _removed(db.parent / "new")
    return found


@contextmanager
def _servers(folder: Path, words: list[str]) -> Iterator[dict[str, Path]]:
    """What stands for {judge}, {writer} and {documents}, where a command asks a server."""
    if not {"{judge}", "{writer}"} & {*words}:
        yield {}
        return
    port = folder / "port"
    port.mkdir(exist_ok=True)
    (port / "harbour.md").write_text(HARBOUR * 3)
    (port / "short.txt").write_text("Too short.")
    with Endpoint() as grading, Endpoint(write=writer) as writing:
        files = {}
        for name, server in (("judge", grading), ("writer", writing)):
            (folder / name).mkdir(exist_ok=True)
            price = "{ input = 1, output = 4 }"
            files[f"{{{name}}}"] = commandline.judge_file(folder / name, server.url, price=price)
        yield files | {"{documents}": port}


def _removed(written: Path) -> None:
    """Remove the file or folder that a command has written, if any."""
    if written.is_dir():
        shutil.rmtree(written)
    else:
        written.unlink(missing_ok=True)


def steadied(text: str, folder: Path, volatile: tuple = VOLATILE) -> str:
    """A text without what is volatile."""
    for pattern, instead in volatile:
        text = re.sub(pattern.replace("{folder}", re.escape(str(folder))), instead, text)
    return text


# Keys that came after a document was recorded; they hold no figure of it.
ADDED = {"why_code"}


def differences(
    old: Any,
    new: Any,
    renames: Mapping[str, str] = RENAMES,
    at: str = "$",
) -> Iterator[str]:
    """Where a document is not as recorded, path by path; numbers to `DIGITS`."""
    if isinstance(old, dict) and isinstance(new, dict):
        old = {renames.get(key, key): value for key, value in old.items()}
        for key in [*old, *(key for key in new if key not in old and key not in ADDED)]:
            if key not in old or key not in new:
                yield f"{at}.{key}: {'is new' if key in new else 'is gone'}"
            else:
                yield from differences(old[key], new[key], renames, f"{at}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{at}: {len(old)} entries were recorded, and {len(new)} are there"
        for place, pair in enumerate(zip(old, new, strict=False)):
            yield from differences(*pair, renames, f"{at}[{place}]")
    elif not _alike(old, new):
        yield f"{at}: {old!r} was recorded, and {new!r} is there"


def _alike(old: Any, new: Any) -> bool:
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (old, new))
    if not numbers:
        return type(old) is type(new) and old == new
    return math.isclose(old, new, rel_tol=10.0**-DIGITS, abs_tol=10.0**-DIGITS)
