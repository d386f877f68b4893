"""How long a grader waits: from key press to the next answer on screen, and until it is saved.

    python benchmarks/grading.py [--answers 100000] [--keys 200] [--done 3000]

Makes a sheet, lets someone have graded part of it, starts the app, and grades by keyboard in a real
Chromium, which is looked for as the browser tests do. Prints milliseconds, as p50 and p95.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[0] = str(ROOT)  # not this folder, which has a statistics.py too

from statistics import quantiles  # noqa: E402

from playwright.sync_api import Page  # noqa: E402

from benchmarks import large_sheet  # noqa: E402
from concord.grading import assignments, grading_sets  # noqa: E402
from concord.grading.grading_sets import GradingSet  # noqa: E402
from concord.store import additions, graders, grades  # noqa: E402
from concord.store.database import Store, open_store  # noqa: E402
from concord.store.grades import Press  # noqa: E402
from concord.store.rubrics import rubric_versions  # noqa: E402
from tests.support.browser import Server, launched, settled, visit  # noqa: E402

# From the time stamp of the key itself to the first frame after the next answer was drawn.
WATCH = """
() => {
  window.waits = [];
  document.addEventListener('keydown', (event) => {
    requestAnimationFrame(() => setTimeout(() => {
      window.waits.push(performance.now() - event.timeStamp);
    }));
  });
}
"""


def main() -> None:
    """Measure and print."""
    asked = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "concord.db"
        with open_store(path) as store:
            grading_set = _prepare(store, asked.answers, asked.done)
        server = Server(path, Path(folder) / "server.log").start()
        try:
            with launched() as browser:
                waits, saves, opening = _graded(browser.new_page(), server, grading_set, asked.keys)
        finally:
            server.stop()
    print(f"{'the screen opens':42} {opening:8.0f}")
    _report("key press to the next answer on screen", waits)
    _report("key press to saved on disk", saves)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--keys", type=int, default=200)
    parser.add_argument("--done", type=int, default=3000)
    return parser.parse_args()


def _prepare(store: Store, answers: int, done: int) -> GradingSet:
    """A sheet of so many answers, all of it a set, of which one annotator graded a part."""
    begun = time.perf_counter()
    sheet = additions.add(
        store, "large", [*map(large_sheet.long_item, range(answers))], "large", "0" * 64, {}
    )
    rubric_id, rubric = rubric_versions.named(store, "holistic-1-10")
    made = grading_sets.create(store, sheet.id, rubric_id, "Set 1", None, seed=1)
    ana = graders.ensure(store, "person", "Ana")
    versions = list(rubric.versions().values())
    places = assignments.queue(store, made, ana, versions, done + 1)[:done]
    grades.record(
        store,
        [
            Press(place.item_id, version, ana, score=5, seconds=20.0, repeat=place.repeat)
            for place in places
            for version in versions
        ],
    )
    took = time.perf_counter() - begun
    print(f"{answers:,} answers, {done:,} of them graded before (made in {took:.0f} s); ms:")
    return made


def _graded(
    page: Page, server: Server, grading_set: GradingSet, keys: int
) -> tuple[list[float], list[float], float]:
    """Waits for the next answer, waits for the disk, and how long the screen took to open."""
    begun = time.perf_counter()
    visit(page, server, f"/grade?view=grader&set={grading_set.id}&grader=Ana")
    page.locator(".question").wait_for()
    opening = 1000 * (time.perf_counter() - begun)
    settled(page)
    page.evaluate(WATCH)
    saves = []
    for number in range(keys):
        text = page.locator(".answer").inner_text()
        begun = time.perf_counter()
        page.keyboard.press(str(number % 9 + 1))
        page.locator(".state[data-unsaved='0']").wait_for()
        saves.append(1000 * (time.perf_counter() - begun))
        assert page.locator(".answer").inner_text() != text
    return page.evaluate("window.waits"), saves, opening


def _report(name: str, times: list[float]) -> None:
    cut = quantiles(times, n=20)
    print(f"{name:42} {cut[9]:8.0f} {cut[18]:8.0f}   ({len(times)})")


if __name__ == "__main__":
    main()
