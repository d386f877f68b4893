"""How long a search of the answers browser takes, compared with a bare scan of the same table.

    python benchmarks/browse.py [--answers 100000] [--queries 200]

Makes a graded sheet with contexts and columns of its own, and runs varied searches, filters and
orders at varied pages, each on a connection of its own as a screen does. Prints milliseconds of
the clock, and of the processor, which other programs on the machine change less.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path[0] = str(ROOT)  # not this folder, which has a statistics.py too

from statistics import median, quantiles  # noqa: E402

from benchmarks import large_sheet  # noqa: E402
from concord.model import Context, Item  # noqa: E402
from concord.store import answer_search  # noqa: E402
from concord.store.answer_search import COLUMN, GRADED, ORDERS, AnswerFilter  # noqa: E402
from concord.store.database import Store, open_store  # noqa: E402
from tests.support.made_items import made_item  # noqa: E402

SEED, SIZE, SHEET = 13, 50, 1
TEXT = """
valve filter water pressure closed first because system answer question model context research
temperature result increases Zürich École decreases patient therapy dose treatment study network
黑洞 温度 手册 打印机 更换 ネットワーク 네트워크 latency server client protocol kernel memory
"""
WORDS = TEXT.split()
SEARCHES = (
    *("", "", "", "patient therapy", "FILTER", "latency", "nothing like this", "12345", "e"),
    *("100%", "黑洞", "手册 更换", "ネットワーク", "네트워크 patient", "école", "zürich water"),
    *("_", "温度?"),
)
TEAMS, LANGUAGES = "ABCDE", ("en", "zh", "de")


class Took(NamedTuple):
    """Seconds."""

    clock: float
    processor: float


def main() -> None:
    """Measure and print."""
    asked = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        path = asked.db or Path(folder) / "concord.db"
        if not path.exists():
            _fill(path, asked)
        print(f"{asked.answers:,} answers, {path.stat().st_size / 1e6:,.0f} MB")
        print(f"{'milliseconds: p50, p95, max':42} {'clock':>26} {'processor':>26}")
        _measure(path, asked)


def _measure(path: Path, asked: argparse.Namespace) -> None:
    scan = "select count(*) from items where sheet_id = 1 and +synthetic = 0"  # reads every row
    bare = [_timed(path, lambda store: store.value(scan)) for _ in range(11)][1:]
    chance = random.Random(SEED)
    wanted = [(_wanted(chance), _page(chance, asked.answers)) for _ in range(asked.queries)]
    times = [_timed(path, _query(*one)) for one in wanted]
    _report("select count(*) scanning the rows", bare)
    _report(f"{asked.queries} searches", times)


def _wanted(chance: random.Random) -> AnswerFilter:
    """Mostly one thing at a time, as a user narrows down."""
    where = (("team", chance.choice(TEAMS)),) if chance.random() < 0.2 else ()
    return AnswerFilter(
        search=chance.choice(SEARCHES),
        model=chance.choice(large_sheet.MODELS) if chance.random() < 0.25 else "",
        graded=chance.choice(GRADED) if chance.random() < 0.2 else "",
        where=where,
        order=chance.choice((*ORDERS, *ORDERS, f"{COLUMN}difficulty", f"{COLUMN}topic")),
        descending=chance.random() < 0.3,
    )


def _page(chance: random.Random, answers: int) -> int:
    """Mostly the first page, one in ten anywhere."""
    return 0 if chance.random() < 0.9 else chance.randrange(0, answers, SIZE)


def _query(wanted: AnswerFilter, offset: int) -> Callable[[Store], object]:
    return lambda store: answer_search.find(store, SHEET, wanted, SIZE, offset)


def _timed(path: Path, query: Callable[[Store], object]) -> Took:
    with open_store(path) as store:
        clock, processor = time.perf_counter(), time.process_time()
        query(store)
        return Took(time.perf_counter() - clock, time.process_time() - processor)


def _fill(path: Path, asked: argparse.Namespace) -> None:
    chance = random.Random(SEED)
    with open_store(path) as store:
        items = [_item(chance, n) for n in range(asked.answers)]
        large_sheet.fill(store, asked.answers, 2, items)


def _item(chance: random.Random, number: int) -> Item:
    question, model = divmod(number, len(large_sheet.MODELS))
    passages = [_text(chance, 100) for _ in range(3)]
    return made_item(
        number,
        large_sheet.MODELS[model],
        question_id=str(question),
        question=f"How is {WORDS[question % len(WORDS)]} {question} changed?",
        contexts=tuple(Context("", "", text, n) for n, text in enumerate(passages, 1)),
        answer=_text(chance, chance.randint(10, 120)),
        reference=(_text(chance, 30),),
        metadata={
            "team": chance.choice(TEAMS),
            "language": chance.choice(LANGUAGES),
            "difficulty": chance.randint(1, 5),
            "topic": _text(chance, 2),
        },
    )


def _text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def _report(what: str, times: list[Took]) -> None:
    print(f"{what:42}" + "".join(_milliseconds(list(some)) for some in zip(*times, strict=True)))


def _milliseconds(seconds: list[float]) -> str:
    high = quantiles(seconds, n=20, method="inclusive")[-1]
    found = (median(seconds), high, max(seconds))
    return "".join(f" {1000 * one:8.0f}" for one in found)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--db", type=Path, help="Keep the sheet in this file, or measure it again.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
