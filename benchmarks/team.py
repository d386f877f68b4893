"""How long a grade takes with fifty annotators on one server that is killed now and then.

    python benchmarks/team.py [--annotators 50] [--answers 100000] [--seconds 120] [--kills 3]
    python benchmarks/team.py --kills 0 --rounds 4 --against FOLDER

Makes a sheet, a set of all of it, and a member for each annotator, starts `server.py`, and grades
over the websocket protocol that the browser speaks (`tests/support/visitor.py`): each annotator
presses a key every so many seconds on average, waits until the server says that it is on disk, and
presses the next. At random moments the server is killed as a power cut would and started again;
whoever had a key under way comes back and sends it again, as the pane does. In the end every grade
that was acknowledged must be on disk, and none twice. Prints milliseconds; annotators and server
share this machine. With a checkout of another revision in FOLDER, its server and this one take
turns; compare their processor time, which other programs on the machine change least.
"""

import argparse
import asyncio
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[0] = str(ROOT)  # not this folder, which has a statistics.py too

from statistics import quantiles  # noqa: E402

import psutil  # noqa: E402
from websockets.exceptions import WebSocketException  # noqa: E402

from benchmarks import large_sheet  # noqa: E402
from concord.grading import grading_sets  # noqa: E402
from concord.store import additions  # noqa: E402
from concord.store.database import open_store  # noqa: E402
from concord.store.rubrics import rubric_versions  # noqa: E402
from concord.team import members, sessions  # noqa: E402
from concord.ui.server.auth_routes import COOKIE  # noqa: E402
from tests.support.browser import Server  # noqa: E402
from tests.support.visitor import Visitor  # noqa: E402

LOST = (WebSocketException, OSError, TimeoutError)


def main() -> None:
    """Measure, check and print; exits with 1 where a grade was lost or doubled."""
    asked = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        checkouts = [Path(asked.against).resolve(), ROOT] if asked.against else [ROOT]
        sides = [_Side(checkout, folder, asked) for checkout in checkouts]
        try:
            asyncio.run(_graded(sides, asked))
        finally:
            for side in sides:
                side.server.stop()
        sys.exit(any([side.faults() for side in sides]))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument(
        "--every", type=float, default=5, help="seconds between an annotator's keys"
    )
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=1, help="turns that a server has")
    parser.add_argument("--against", help="a checkout of another revision, measured in turns")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _prepare(path: Path, answers: int, annotators: int) -> tuple[int, list[str]]:
    """A set of a whole sheet that is open to so many graders, and the cookie of each."""
    with open_store(path) as store:
        sheet = additions.add(
            store, "large", [*map(large_sheet.long_item, range(answers))], "l", "0" * 64, {}
        )
        rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
        made = grading_sets.create(store, sheet.id, rubric_id, "Set 1", None, seed=1)
        members.add(store, "Lea", "lead", "benchmark")
        cookies = []
        for number in range(annotators):
            member = members.add(store, f"Grader {number}", "grader", "Lea")
            grading_sets.join(store, made, member.grader_id, "Lea")
            cookies.append(f"{COOKIE}={sessions.begin(store, member)}")
    return made.id, cookies


# A database is made by the code that it is for.
_MADE_THERE = """
import sys, json, pathlib; sys.path.insert(0, "")
from benchmarks.team import _prepare
print(json.dumps(_prepare(pathlib.Path(sys.argv[1]), *map(int, sys.argv[2:]))))
"""


class _Process(subprocess.Popen):
    """A process of its own, which imports what lies in its folder."""

    join = subprocess.Popen.wait

    def is_alive(self) -> bool:
        return self.poll() is None


class _Server(Server):
    def _started(self) -> _Process:
        command = ["-m", "streamlit", "run", self.script, f"--server.port={self.port}"]
        with self.log.open("ab") as log:
            more = {"cwd": self.folder, "env": self._environment(), "stdout": log, "stderr": log}
            return _Process([sys.executable, *command], **more)


class _Side:
    """The server of a checkout, with those who grade there and what they saw.

    `opened`, `saved` and `after_a_kill` are waits in milliseconds, `keys` the acknowledged ones,
    and `processor` the seconds that the server's processors worked during its turns.
    """

    def __init__(self, checkout: Path, folder: str, asked: argparse.Namespace):
        self.path = Path(tempfile.mkdtemp(dir=folder), "concord.db")
        self.opened, self.saved, self.after_a_kill = [], [], []
        self.keys: set[str] = set()
        self.processor, self.turn, self.is_over = 0.0, asyncio.Event(), False
        wanted = [str(self.path), str(asked.answers), str(asked.annotators)]
        made = subprocess.check_output([sys.executable, "-c", _MADE_THERE, *wanted], cwd=checkout)
        set_id, cookies = json.loads(made)
        self.server = _Server(self.path, self.path.with_suffix(".log"), "server.py")
        self.server.folder = checkout
        self.server.start()
        self.people = [
            _Person(self, cookie, f"grade?set={set_id}", asked.seed * 1000 + n, asked.every)
            for n, cookie in enumerate(cookies)
        ]

    def worked(self) -> float:
        """The seconds that the processors have worked for the server that runs now."""
        return sum(psutil.Process(self.server.process.pid).cpu_times()[:2])

    async def grade(self, seconds: float, kills: list[float]) -> None:
        """Have a turn; the server is killed meanwhile, so many seconds after its beginning."""
        self.processor -= self.worked()
        self.turn.set()
        begun = time.perf_counter()
        for moment in [*kills, seconds]:
            await asyncio.sleep(max(0, moment - (time.perf_counter() - begun)))
            if moment != seconds:
                self.processor += self.worked()
                await asyncio.to_thread(self.server.kill)
                await asyncio.to_thread(self.server.start)
                self.processor -= self.worked()
        self.turn.clear()
        await asyncio.sleep(1)  # for what was under way
        self.processor += self.worked()

    def faults(self) -> bool:
        """Print what was seen, and whether anything was lost or doubled."""
        print(self.server.folder)
        _report("the screen opens", self.opened)
        _report("key to acknowledged", self.saved)
        _report("key to acknowledged, where the server was killed meanwhile", self.after_a_kill)
        print(f"processor time of the server per key: {1000 * self.processor / len(self.keys):.1f}")
        with closing(sqlite3.connect(self.path)) as file:  # of whichever revision
            sql = "select press_id, grader_id, item_id, version, repeat from grades"
            rows = file.execute(sql).fetchall()
            [whole] = file.execute("pragma integrity_check").fetchone()
        on_disk = Counter(row[0] for row in rows)
        places = Counter(row[1:] for row in rows)
        lost = self.keys - on_disk.keys()
        doubled = [one for counts in (on_disk, places) for one, n in counts.items() if n > 1]
        print(
            f"{len(self.keys):,} grades acknowledged, {len(rows):,} on disk; {len(lost)} lost, "
            f"{len(doubled)} doubled; the database is {whole}"
        )
        return bool(lost or doubled or whole != "ok" or len(rows) != len(self.keys))


async def _graded(sides: list[_Side], asked: argparse.Namespace) -> None:
    """Everybody opens the screen, then the sides take turns."""
    chance = random.Random(asked.seed)
    moments = sorted(chance.uniform(0.3, 0.9) * asked.seconds for _ in range(asked.kills))
    grading = [asyncio.create_task(one.grade()) for side in sides for one in side.people]
    while any(len(side.opened) < len(side.people) for side in sides):
        await asyncio.sleep(0.1)
    for _ in range(asked.rounds):
        for side in sides:
            await side.grade(asked.seconds, moments)
    for side in sides:
        side.is_over = True
        side.turn.set()
    await asyncio.gather(*grading)


class _Person:
    def __init__(self, side: _Side, cookie: str, path: str, seed: int, every: float):
        self._side, self._cookie, self._path = side, cookie, path
        self._chance, self._every = random.Random(seed), every
        self._name, self._count = f"{self._chance.random():.12f}", 0
        self._key: dict | None = None  # under way, until it is acknowledged
        self._sent_at, self._was_killed = 0.0, False
        self._texts: dict[str, dict] = {}

    async def grade(self) -> None:
        """Grade until it is over; what is under way is waited for."""
        while not self._side.is_over or self._key:
            with suppress(*LOST):
                await self._tab()
            self._was_killed = True
            await asyncio.sleep(0.2)

    async def _tab(self) -> None:
        """One tab, from its opening to the end of the round or of its server."""
        begun = time.perf_counter()
        async with Visitor(self._side.server.url, self._cookie) as tab:
            await tab.visit(self._path)
            self._texts = {}
            self._keep(tab.pane["data"])
            self._side.opened.append(1000 * (time.perf_counter() - begun))
            while not self._side.is_over or self._key:
                if not self._key:
                    await asyncio.sleep(self._chance.expovariate(1 / self._every))
                    await self._side.turn.wait()
                    if self._side.is_over:
                        return
                    self._press(tab)
                await self._send(tab)

    def _press(self, tab: Visitor) -> None:
        """Grade the first criterion of the first answer that has no grade yet."""
        data = tab.pane["data"]
        versions = [one["version"] for one in data["rubric"]["criteria"]]
        place, version = next(
            (place["id"], version)
            for place in data["places"]
            for version in versions
            if version not in place["given"]
        )
        self._count += 1
        said = {"status": "scored", "score": self._chance.randrange(4), "note": "", "seconds": 2.0}
        key = {"press_id": f"{self._name}.{self._count}", "place": place, "version": version}
        self._key, self._was_killed = key | said, False
        self._sent_at = time.perf_counter()

    def _keep(self, data: dict) -> None:
        """The texts of the places in reach, as the pane keeps them: they are sent once."""
        reach = {str(place["id"]) for place in data["places"]}
        texts = self._texts | data["texts"]
        self._texts = {place: text for place, text in texts.items() if place in reach}

    async def _send(self, tab: Visitor) -> None:
        data, key = tab.pane["data"], self._key
        batch = {"seq": time.time_ns(), "set": data["set"], "at": key["place"]}
        batch |= {"have": [text["token"] for text in self._texts.values()]}
        heard = await tab.say(batch | {"keys": [key]})
        self._keep(heard)
        assert key["press_id"] in heard["saved"], (heard["refused"], heard["problem"])
        waits = self._side.after_a_kill if self._was_killed else self._side.saved
        waits.append(1000 * (tab.told_at - self._sent_at))
        self._side.keys.add(key["press_id"])
        self._key = None


def _report(name: str, times: list[float]) -> None:
    if len(times) < 2:
        return print(f"{name:60} none")
    cut = quantiles(times, n=20)
    print(f"{name:60} p50 {cut[9]:6.0f}  p95 {cut[18]:6.0f}  ({len(times):,})")


if __name__ == "__main__":
    main()
