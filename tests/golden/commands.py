"""The commands that are recorded, what they say, and how a record is held against what is said."""

import json
import math
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from concord.store.json_names import RENAMED
from tests.golden.databases import CERTIFICATE
from tests.support import commandline

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
# {certificate} and {export} are beside the database, and {new} is what the command writes.
ONLY = {
    "empty": WHOLE
    | {
        "plan": "plan",
        "metrics": "metrics",
        "judges": "judges",
        "judges-endpoint": "judges --endpoint ollama",
        "rubrics": "rubrics",
        "members": "members",
        "choose": "choose",
        "drafts": "drafts",
        "refuted": "refuted",
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
        "gate": "gate --judge simulated-careful-judge --exact 0.5 --within-one 0.5",
        "plan": "plan",
        "study-agreement": "compare --study agreement",
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
        "refuted-all": "refuted --limit 100",
    },
    "simulated": RANKINGS
    | {
        "agreement-models": "agreement --annotators Ana --by answer_model",
        "choose-careful": "choose --against careful --margin 0.15 --minimum 0.2"
        " --failure-recall 0.2 --holds",
        "cascade-lenient": "cascade --cheap lenient --second constant --at-most 0.4",
        "campaign": "campaign 'Set 1' --pilot",
        "practice": "practice 'Set 1'",
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
# What these say in JSON another one does.
TEXT_ALONE = ("agreement-all",)


def of(database: str) -> dict[str, str]:
    """The commands that are recorded of a database, by the name of their files."""
    return EVERYWHERE | ONLY[database]


def recorded(database: str, name: str, db: Path) -> dict[Path, str]:
    """What a command says of a database: file of the record -> its content.

    A command runs on a copy of its own each time, since some note that somebody looked.
    """
    new = db.parent / "new"
    here = {"{certificate}": db.parent / CERTIFICATE, "{export}": db.parent / "export"}
    here["{new}"] = new
    words = [str(here.get(word, word)) for word in shlex.split(of(database)[name])]
    copy = db.parent / "copy.db"
    found, place = {}, GOLDEN / database / name
    for suffix, more in ((".txt", ()), (".json", ("--json",))):
        if more and name in TEXT_ALONE:
            continue
        copy.write_bytes(db.read_bytes())
        result = commandline.invoke(copy, *words, *more)
        if not more:
            text = f"exit code {result.exit_code}\n{result.stdout}"
            text += f"\n--- on standard error\n{result.stderr}" if result.stderr else ""
            found[place.with_suffix(suffix)] = steadied(text, db.parent)
        elif result.stdout:
            text = json.dumps(json.loads(result.stdout), ensure_ascii=False, indent=1) + "\n"
            found[place.with_suffix(suffix)] = steadied(text, db.parent)
        for beside in copy.parent.glob(f"{copy.name}*"):
            beside.unlink()
        _removed(new)
    return found


def _removed(written: Path) -> None:
    """Remove the file or folder that a command has written, if any."""
    if written.is_dir():
        shutil.rmtree(written)
    else:
        written.unlink(missing_ok=True)


def steadied(text: str, folder: Path) -> str:
    """A text without what is volatile."""
    for pattern, instead in VOLATILE:
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
