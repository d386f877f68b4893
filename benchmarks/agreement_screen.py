"""How long the screen Agreement takes to open on a large sheet, and to redraw after a filter.

    python benchmarks/agreement_screen.py [--answers 100000] [--filtered 5000] [--judges 6]

Opens the screen as app.py shows it, without a browser, in a process that has drawn it before for a
small sheet. The most that it may take is printed with it. Beside it the grades are read with
`pandas.read_sql` and compared with scikit-learn's quadratic kappa, judge by judge and criterion by
criterion, which is one of the screen's figures and has no interval. Then one filter after the other
is changed on the smaller sheet, and the screen opened by its link. Seconds are of the processor,
which other programs on the machine change less.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[0] = str(ROOT)  # not this folder, which has a statistics.py too

from statistics import median, quantiles  # noqa: E402

SEED, CHANGES = 7, 60
SMALL = 2_000  # answers; counts of four digits are drawn with a library of their own
OPENS = 1.5  # of the peer's time, at most
FILTERS = {
    "judge": [f"judge-{number}" for number in range(1, 7)],
    "criterion": ["correctness", "readability", "comprehensiveness"],
    "reference": ["each", "consensus"],
    "figure": ["exact", "qwk", "bias"],
    "annotators": ['["Ana"]', '["Ben"]', '["Ana", "Ben"]'],
}
GRADES = (
    "select g.item_id, g.grader_id, g.version, g.score, r.kind from grades g"
    " join graders r on r.id = g.grader_id where g.status = 'scored'"
)


def main() -> None:
    """Make the sheets, measure each in a process of its own, and print."""
    asked = _arguments()
    if asked.measure:
        print(*_MEASURES[asked.measure](*asked.databases))
        return
    with tempfile.TemporaryDirectory() as folder:
        sizes = {"small": SMALL, "large": asked.answers, "filtered": asked.filtered}
        small, large, filtered = (
            _made(Path(folder) / name, size, asked.judges) for name, size in sizes.items()
        )
        bare = _told("bare", large)[0]
        opened = _told("open", small, large)[0]
        changed = _told("filter", filtered)
    print(f"{asked.answers:,} answers x 3 criteria x {asked.judges} judges; seconds of processor")
    print(f"{'read_sql and kappa':24} {bare:6.2f}")
    print(f"{'it opens':24} {opened:6.2f}   ratio {opened / bare:.2f}, at most {OPENS}")
    high = quantiles(changed, n=20, method="inclusive")[-1]
    print(f"{asked.filtered:,} answers, {len(changed)} changes of a filter: ", end="")
    print(f"p50 {median(changed):.2f}, p95 {high:.2f}, at most {max(changed):.2f}")


def _made(path: Path, answers: int, judges: int) -> Path:
    """Make a database with a graded sheet of so many answers."""
    from benchmarks import large_sheet
    from concord.store.database import open_store

    with open_store(path) as store:
        large_sheet.fill(store, answers, judges)
    return path


def _told(measure: str, *databases: Path) -> list[float]:
    """What a measure prints in a process of its own."""
    command = [sys.executable, __file__, "--measure", measure, *map(str, databases)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def _bare(database: str) -> list[float]:
    """Read the grades with pandas, and compute one figure of each judge and criterion."""
    import sqlite3

    import pandas as pd
    from sklearn.metrics import cohen_kappa_score

    def compared() -> None:
        grades = pd.read_sql(GRADES, sqlite3.connect(database))
        judged = grades[grades["kind"] == "judge"]
        people = grades[grades["kind"] == "person"]
        for _, own in judged.groupby(["grader_id", "version"]):
            pairs = own.merge(people, on=["item_id", "version"])
            cohen_kappa_score(pairs["score_x"], pairs["score_y"], weights="quadratic")

    return [_seconds(compared)]


def _open(small: str, large: str) -> list[float]:
    """Open the screen on one database, to load what it needs, and measure it on another."""
    _screen(small)
    return [_seconds(lambda: _screen(large))]


def _filter(database: str) -> list[float]:
    """Open the screen again and again, each time with one filter of its link changed at random."""
    chance, chosen = random.Random(SEED), {}
    _screen(database)
    took = []
    for _ in range(CHANGES):
        name = chance.choice([*FILTERS])
        chosen[name] = chance.choice(FILTERS[name])
        took.append(_seconds(lambda: _screen(database, **chosen)))
    return took


_MEASURES: dict[str, Callable[..., list[float]]] = {
    "bare": _bare,
    "open": _open,
    "filter": _filter,
}


def _screen(database: str, **chosen: str) -> None:
    from streamlit.testing.v1 import AppTest

    os.environ["CONCORD_DB"] = database
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    app.query_params.update(chosen)
    app = app.switch_page("pages/agreement.py").run()
    assert not app.exception and not app.error


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--filtered", type=int, default=5_000)
    parser.add_argument("--judges", type=int, default=6)
    parser.add_argument("--measure", choices=("bare", "open", "filter"), help=argparse.SUPPRESS)
    parser.add_argument("databases", nargs="*", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
