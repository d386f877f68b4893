"""The sheet that the benchmarks of judge runs judge, written in a process of its own.

    python -m benchmarks.judged_sheet FOLDER ANSWERS [--bodies] [--decisions]

A process's peak memory counts from that of the process which started it, so the one that starts
the clients stays small.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from benchmarks.judged import RUBRIC, judge_file
from concord.judges.definition.model import parse
from concord.judges.prompting.request import request
from concord.model import Context, Item
from concord.store import additions
from concord.store.database import open_store
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item

SENTENCE = "The valve is closed before the filter is changed, and it is opened slowly afterwards. "


def main() -> None:
    """A database with the sheet; and for other clients its answers, and the same requests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("answers", type=int)
    parser.add_argument("--bodies", action="store_true")
    parser.add_argument("--decisions", action="store_true", help="requests to a decision model")
    given = parser.parse_args()
    items = [_item(number) for number in range(given.answers)]
    with open_store(given.folder / "empty.db") as store:
        additions.add(store, "large", items, "large.csv", "0" * 64, {})
        rubric = rubric_versions.named(store, RUBRIC)[1]
    if given.bodies:
        judge = parse(judge_file("http://127.0.0.1:9/v1", given.decisions), "mine.toml")
        _write(given.folder / "bodies.jsonl", (request(judge, rubric, item) for item in items))
        told = ({"question": item.question, "answer": item.answer} for item in items)
        _write(given.folder / "answers.jsonl", told)


def _item(number: int) -> Item:
    return made_item(
        number,
        question=f"How is filter {number} changed?",
        answer=f"Answer {number}. {SENTENCE * 7}",
        contexts=(Context("c1", "d", SENTENCE * 6, 1),),
    )


def _write(path: Path, lines: Iterable[dict]) -> None:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
