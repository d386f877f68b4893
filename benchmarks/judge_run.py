"""How fast a judge runs, beside the endpoint's own pace and the bare client it is built on.

    python benchmarks/judge_run.py [--rounds 3] [--in-flight 64] [--memory 100000]
    python benchmarks/judge_run.py --case 500x0.2 --peers-python peers/bin/python
    python benchmarks/judge_run.py --faults --peers-python peers/bin/python
    python benchmarks/judge_run.py --decisions

Starts the server of the tests as a process of its own with a fixed latency, and has the same
requests answered by the bare openai client behind a semaphore, by a bare loop of aiohttp that
stores nothing, and by Concord's whole `judge` command with everything stored. The ideal is
ceil(answers / in flight) x latency. Every figure is the best of the rounds, since other work on the
machine can only slow a round down; the load is printed beside it. Other tools have the same answers
judged once, in the first case, where they are installed (benchmarks/README.md says how).

Requests to a decision model are compared with a bare loop of aiohttp that stores nothing.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path[0] = str(ROOT)  # not the folder of this file, where a module may hide one of Python's

from benchmarks import judge_peers, judged  # noqa: E402

BARE, CONCORD = "AsyncOpenAI + semaphore", "concord judge"
LOOP, DECIDING = "bare aiohttp loop", "concord judge, decisions"
BARE_CLIENTS = {BARE: "openai", LOOP: "loop"}
# (answers, latency in seconds) -> the most that Concord may take: a multiple of the bare loop in
# the same run where a reply takes time, of the ideal where it hardly does.
CASES = {(2_000, 0.2): (LOOP, 1.04), (10_000, 0.2): (LOOP, 1.04), (2_000, 0.02): (None, 2.0)}
FIRST_REQUEST_S, MEMORY_MB = 0.7, 90
# Answers and seconds of latency of the decisions, and the most as a multiple of the bare loop.
DECISIONS, OF_LOOP = (10_000, 0.02), 1.5


_LAUNCH = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
usage = os.wait4(process.pid, 0)[2]
print(json.dumps([usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]), file=sys.stderr)
sys.exit(process.returncode)
"""


class Usage(NamedTuple):
    """What a process took: seconds of work on all cores, and peak MB."""

    cpu: float
    peak_mb: float


class Took(NamedTuple):
    """Seconds from the first request to the last reply (stored, for Concord), and peak MB.

    `first` is the seconds from the start of the process to its first request; `cpu` the seconds of
    work on all cores, start included, which other work on the machine changes least.
    """

    seconds: float
    first: float
    peak_mb: float
    cpu: float


def main() -> None:
    """Measure and print."""
    asked = _arguments()
    peers = judge_peers.all_installed(asked.peers_python or [sys.executable], asked.promptfoo)
    if asked.faults:
        from benchmarks import judge_faults

        return judge_faults.compare(peers, asked.in_flight)
    if asked.decisions:
        return _decide(asked.case or DECISIONS, asked.in_flight, asked.rounds)
    for number, (answers, latency) in enumerate([asked.case] if asked.case else CASES):
        _compare(answers, latency, asked.in_flight, asked.rounds, {} if number else peers)
    if not asked.case:
        _decide(DECISIONS, asked.in_flight, asked.rounds)
        _remember(asked.memory, asked.in_flight)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--memory", type=int, default=100_000, help="answers")
    parser.add_argument("--case", type=_case, metavar="500x0.2", help="answers x seconds, alone")
    parser.add_argument("--faults", action="store_true", help="scores at a server that fails")
    parser.add_argument("--decisions", action="store_true", help="a decision model alone")
    parser.add_argument("--peers-python", action="append", metavar="PATH", help="may be repeated")
    parser.add_argument("--promptfoo", default="promptfoo", metavar="PATH")
    return parser.parse_args()


def _case(text: str) -> tuple[int, float]:
    answers, latency = text.split("x")
    return int(answers), float(latency)


def _compare(answers: int, latency: float, in_flight: int, rounds: int, peers: dict) -> None:
    """Every client over the same requests, in turn, so often; the best of each. Each peer once."""
    ideal = math.ceil(answers / in_flight) * latency
    print(f"{answers:,} answers at {1000 * latency:.0f} ms, {in_flight} in flight")
    print(f"{'ideal':28} {ideal:7.2f} s  1.00 x")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        judged.prepare(place, answers)
        took: dict[str, list[Took]] = {BARE: [], LOOP: [], CONCORD: []}
        loads = []
        for number in range(rounds):
            for client, times in took.items():
                times.append(_measured(client, place, latency, in_flight, number))
                loads.append(os.getloadavg()[0])
        best = {client: min(times) for client, times in took.items()}
        for client, found in best.items():
            _print(client, found, ideal, answers)
        for name, peer in peers.items():
            print(judge_peers.line(name, peer, place, latency, in_flight, ideal), flush=True)
            loads.append(os.getloadavg()[0])
    _judge(CASES.get((answers, latency)), best, ideal)
    print(f"  load {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} cores\n", flush=True)


def _decide(case: tuple[int, float], in_flight: int, rounds: int) -> None:
    """Requests to a decision model: Concord and a bare loop in turn, the best of each."""
    answers, latency = case
    ideal = math.ceil(answers / in_flight) * latency
    print(f"{answers:,} decisions at {1000 * latency:.0f} ms, {in_flight} in flight")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        judged.prepare(place, answers, decisions=True)
        took: dict[str, list[Took]] = {LOOP: [], DECIDING: []}
        for number in range(rounds):
            for client, times in took.items():
                times.append(_measured(client, place, latency, in_flight, number, True))
        best = {client: min(times) for client, times in took.items()}
        for client, found in best.items():
            _print(client, found, ideal, answers)
    _held("x the bare loop", best[DECIDING].seconds / best[LOOP].seconds, OF_LOOP)
    print(f"  load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n", flush=True)


def _print(client: str, took: Took, ideal: float, answers: int) -> None:
    print(
        f"{client:28} {took.seconds:7.2f} s {took.seconds / ideal:5.2f} x"
        f"   first request after {took.first:.2f} s, {took.peak_mb:.0f} MB,"
        f" {1000 * took.cpu / answers:.2f} ms of work for each"
    )


def _judge(limit: tuple[str | None, float] | None, best: dict[str, Took], ideal: float) -> None:
    """The limits that Concord keeps or does not."""
    concord = best[CONCORD]
    if limit:
        peer, most = limit
        base = best[peer].seconds if peer else ideal
        _held(f"x {peer or 'ideal'}", concord.seconds / base, most)
    _held("x the bare client", concord.seconds / best[BARE].seconds, 1.0)
    _held("s to the first request", concord.first, FIRST_REQUEST_S)
    _held("MB at the peak", concord.peak_mb, MEMORY_MB)


def _held(what: str, found: float, limit: float) -> None:
    print(f"  {'ok ' if found <= limit else 'NOT'} {found:.2f} {what}; at most {limit:.2f}")


def _remember(answers: int, in_flight: int) -> None:
    """Peak memory of the whole verb on a large sheet."""
    print(f"{answers:,} answers without latency, {in_flight} in flight")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        judged.prepare(place, answers, bodies=False)
        took = _measured(CONCORD, place, 0.0, in_flight, 0)
    print(f"{CONCORD:28} {took.seconds:7.2f} s, {answers / took.seconds:.0f} answers a second")
    _held("MB at the peak", took.peak_mb, MEMORY_MB)
    print(f"  load {os.getloadavg()[0]:.1f}\n", flush=True)


def _measured(
    client: str, place: Path, latency: float, in_flight: int, number: int, decisions: bool = False
) -> Took:
    """One client against a server of its own, as a process of its own."""
    with judged.serving(latency, "--forget", decisions=decisions) as url:
        begun = time.time()
        ours = client in (CONCORD, DECIDING)
        which = partial(_concord if ours else _other, client)
        seconds, usage = which(place, url, in_flight, number)
        seen = judged.seen(url)
    return Took(seconds, seen["first"] - begun, usage.peak_mb, usage.cpu)


def _concord(
    client: str, place: Path, url: str, in_flight: int, number: int
) -> tuple[float, Usage]:
    """The verb `judge` over a fresh copy of the database: its judging phase, and what it took."""
    db = place / f"concord-{number}.db"
    shutil.copyfile(place / "empty.db", db)
    said, usage = _ended(judged.judging(db, url, in_flight, client == DECIDING))
    db.unlink()
    counts = json.loads(said)["runs"][0]["counts"]
    if counts["statuses"] != {"scored": 3 * counts["total"]}:
        sys.exit(f"Not everything was scored: {counts}")
    return counts["seconds"], usage


def _other(client: str, place: Path, url: str, in_flight: int, _number: int) -> tuple[float, Usage]:
    """One of the bare clients; `-P` keeps a file beside it from hiding one of Python's."""
    script, which = ROOT / "benchmarks" / "bare_client.py", BARE_CLIENTS[client]
    command = [sys.executable, "-P", str(script), which, f"--url={url}"]
    said, usage = _ended(
        [*command, f"--bodies={place / 'bodies.jsonl'}", f"--in-flight={in_flight}"]
    )
    return json.loads(said), usage


def _ended(command: list[str]) -> tuple[bytes, Usage]:
    """What a command printed, and what it took.

    A process starts with the peak memory of the one that forked it, so a small one stands between.
    """
    small = [sys.executable, "-S", "-c", _LAUNCH, *command]
    said = subprocess.run(small, capture_output=True, check=True)
    return said.stdout, Usage(*json.loads(said.stderr.splitlines()[-1]))


if __name__ == "__main__":
    main()
