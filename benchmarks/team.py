"""How long a grade takes with fifty annotators on one server that is killed now and then.

    python benchmarks/team.py [--annotators 50] [--answers 100000] [--seconds 120] [--kills 3]

Makes a sheet, a set of all of it, and a member for each annotator, starts `server.py`, and grades
over
the websocket protocol that the browser speaks (`tests/support/visitor.py`): each annotator presses
a key every
so many seconds on average, waits until the server says that it is on disk, and presses the next. At
random moments the server is killed as a power cut would and started again; whoever had a key under
way comes back and sends it again, as the pane does. In the end every grade that was acknowledged
must be on disk, and none twice. Prints milliseconds; annotators and server share this machine.
"""

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path[0] = str(ROOT)  # not this folder, which has a statistics.py too

from statistics import quantiles  # noqa: E402

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


class Told(NamedTuple):
    """What annotators saw: waits in milliseconds, and the keys that were acknowledged."""

    opened: list[float]
    saved: list[float]
    after_a_kill: list[float]
    keys: set[str]


def main() -> None:
    """Metric, check and print; exits with 1 where a grade was lost or doubled."""
    asked = _arguments()
    told = Told([], [], [], set())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "concord.db"
        begun = time.perf_counter()
        set_id, cookies = _prepare(path, asked.answers, asked.annotators)
        print(f"{asked.answers:,} answers, made in {time.perf_counter() - begun:.0f} s")
        server = Server(path, Path(folder) / "server.log", "server.py").start()
        try:
            asyncio.run(_graded(server, asked, f"grade?set={set_id}", cookies, told))
        finally:
            server.stop()
        _report("the screen opens", told.opened)
        _report("key to acknowledged", told.saved)
        _report("key to acknowledged, where the server was killed meanwhile", told.after_a_kill)
        print(f"load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        sys.exit(_faults(path, told))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument(
        "--every", type=float, default=5, help="seconds between an annotator's keys"
    )
    parser.add_argument("--kills", type=int, default=3)
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


async def _graded(
    server: Server, asked: argparse.Namespace, path: str, cookies: list[str], told: Told
) -> None:
    """Everybody grades until the time is over, and the server is killed meanwhile."""
    until = time.perf_counter() + asked.seconds
    chance = random.Random(asked.seed)
    annotators = [
        _Person(server, cookie, path, random.Random(asked.seed * 1000 + n), told).grade(
            until, asked.every
        )
        for n, cookie in enumerate(cookies)
    ]
    moments = sorted(chance.uniform(0.3, 0.9) * asked.seconds for _ in range(asked.kills))
    await asyncio.gather(_killed(server, moments), *annotators)


async def _killed(server: Server, moments: list[float]) -> None:
    begun = time.perf_counter()
    for moment in moments:
        await asyncio.sleep(max(0, moment - (time.perf_counter() - begun)))
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)


class _Person:
    def __init__(self, server: Server, cookie: str, path: str, chance: random.Random, told: Told):
        self._server, self._cookie, self._path = server, cookie, path
        self._chance, self._told = chance, told
        self._name, self._count = f"{chance.random():.12f}", 0
        self._key: dict | None = None  # under way, until it is acknowledged
        self._sent_at, self._was_killed = 0.0, False
        self._texts: dict[str, dict] = {}

    async def grade(self, until: float, every: float) -> None:
        """Grade until then; what is under way is waited for."""
        while time.perf_counter() < until or self._key:
            with suppress(*LOST):
                await self._tab(until, every)
            self._was_killed = True
            await asyncio.sleep(0.2)

    async def _tab(self, until: float, every: float) -> None:
        """One tab, from its opening to the end of the round or of its server."""
        begun = time.perf_counter()
        async with Visitor(self._server.url, self._cookie) as tab:
            await tab.visit(self._path)
            self._texts = {}
            self._keep(tab.pane["data"])
            self._told.opened.append(1000 * (time.perf_counter() - begun))
            while time.perf_counter() < until or self._key:
                if not self._key:
                    await asyncio.sleep(self._chance.expovariate(1 / every))
                    self._press(tab)
                await self._send(tab)

    def _press(self, tab: Visitor) -> None:
        data = tab.pane["data"]
        place, version = self._next(data)
        self._count += 1
        said = {"status": "scored", "score": self._chance.randrange(4), "note": "", "seconds": 2.0}
        key = {"press_id": f"{self._name}.{self._count}", "place": place, "version": version}
        self._key, self._was_killed = key | said, False
        self._sent_at = time.perf_counter()

    @staticmethod
    def _next(data: dict) -> tuple[int, str]:
        """The first criterion of the first answer that has no grade yet."""
        versions = [one["version"] for one in data["rubric"]["criteria"]]
        return next(
            (place["id"], version)
            for place in data["places"]
            for version in versions
            if version not in place["given"]
        )

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
        waits = self._told.after_a_kill if self._was_killed else self._told.saved
        waits.append(1000 * (tab.told_at - self._sent_at))
        self._told.keys.add(key["press_id"])
        self._key = None


def _faults(path: Path, told: Told) -> int:
    """Say what was lost or doubled; 1 where anything was."""
    with open_store(path) as store:
        rows = store.rows("select press_id, grader_id, item_id, version, repeat from grades")
        whole = store.value("pragma integrity_check")
    on_disk = Counter(row["press_id"] for row in rows)
    places = Counter(tuple(row)[1:] for row in rows)
    lost = told.keys - on_disk.keys()
    doubled = [one for counts in (on_disk, places) for one, n in counts.items() if n > 1]
    print(
        f"{len(told.keys):,} grades acknowledged, {len(rows):,} on disk; {len(lost)} lost, "
        f"{len(doubled)} doubled; the database is {whole}"
    )
    return int(bool(lost or doubled or whole != "ok" or len(rows) != len(told.keys)))


def _report(name: str, times: list[float]) -> None:
    if len(times) < 2:
        return print(f"{name:60} none")
    cut = quantiles(times, n=20)
    most = max(times)
    print(f"{name:60} p50 {cut[9]:6.0f}  p95 {cut[18]:6.0f}  max {most:6.0f}  ({len(times):,})")


if __name__ == "__main__":
    main()
