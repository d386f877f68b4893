"""How fast a judge runs, beside the endpoint's own pace and the bare client it is built on.

    python benchmarks/judge_run.py [--rounds 3] [--in-flight 64] [--memory 100000] [--quick]

Starts the server of the tests as a process of its own with a fixed latency, and has the same
requests answered by the bare openai client behind a semaphore, by the same client with its aiohttp
transport, and by Concord's whole `judge` command with everything stored. The ideal is
ceil(answers / in flight) x latency. Every figure is the best of the rounds, since other work on the
machine can only slow a round down; the load is printed beside it. Other tools are measured where
they are installed from benchmarks/requirements-peers.txt, and named where they are not.
"""

import argparse
import asyncio
import importlib.metadata
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path[0] = str(ROOT)  # not the folder of this file, where a module may hide one of Python's

PEERS = ("ragas", "deepeval", "promptfoo", "inspect_ai", "mlflow")
BARE, AIOHTTP, CONCORD = "AsyncOpenAI + semaphore", "AsyncOpenAI, aiohttp", "concord judge"
# (answers, latency in seconds) -> the most that Concord may take, as a multiple of the ideal.
CASES = {(2_000, 0.2): 1.10, (10_000, 0.2): 1.05, (2_000, 0.02): None}
OF_AIOHTTP, FIRST_REQUEST_S, MEMORY_MB = 1.10, 1.5, 400
SENTENCE = "The valve is closed before the filter is changed, and it is opened slowly afterwards. "


class Took(NamedTuple):
    """Seconds from the first request to the last reply (stored, for Concord), and peak MB.

    `first` is the seconds from the start of the process to its first request.
    """

    seconds: float
    first: float
    peak_mb: float


def main() -> None:
    """Measure and print; or be one of the clients, where `--client` says so."""
    asked = _arguments()
    if asked.client:
        return asyncio.run(_bare(asked.client, asked.url, asked.bodies, asked.in_flight))
    cases = list(CASES)[: 1 if asked.quick else None]
    for answers, latency in cases:
        _compare(answers, latency, asked.in_flight, 1 if asked.quick else asked.rounds)
    if asked.memory and not asked.quick:
        _remember(asked.memory, asked.in_flight)
    for peer in PEERS:
        print(f"{peer:28} {_installed(peer)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--memory", type=int, default=100_000, help="answers; 0 leaves it out")
    parser.add_argument("--quick", action="store_true", help="one round of the first case")
    parser.add_argument("--client", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--bodies", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _compare(answers: int, latency: float, in_flight: int, rounds: int) -> None:
    """Every client over the same requests, in turn, so often; the best of each."""
    ideal = math.ceil(answers / in_flight) * latency
    print(f"{answers:,} answers at {1000 * latency:.0f} ms, {in_flight} in flight")
    print(f"{'ideal':28} {ideal:7.2f} s  1.00 x")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _prepare(place, answers)
        took: dict[str, list[Took]] = {BARE: [], AIOHTTP: [], CONCORD: []}
        loads = []
        for number in range(rounds):
            for client, times in took.items():
                times.append(_measured(client, place, latency, in_flight, number))
                loads.append(os.getloadavg()[0])
    best = {client: min(times) for client, times in took.items()}
    for client, found in best.items():
        _print(client, found, ideal)
    _judge(CASES[answers, latency], best, ideal)
    print(f"  load {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} cores\n", flush=True)


def _print(client: str, took: Took, ideal: float) -> None:
    print(
        f"{client:28} {took.seconds:7.2f} s {took.seconds / ideal:5.2f} x"
        f"   first request after {took.first:.2f} s, {took.peak_mb:.0f} MB"
    )


def _judge(limit: float | None, best: dict[str, Took], ideal: float) -> None:
    """The limits that Concord keeps or does not."""
    concord, aiohttp = best[CONCORD], best[AIOHTTP]
    if limit:
        _held("x ideal", concord.seconds / ideal, limit)
    else:
        _held("x the client with aiohttp", concord.seconds / aiohttp.seconds, OF_AIOHTTP)
    _held("x the bare client", concord.seconds / best[BARE].seconds, 1.0)
    _held("s to the first request", concord.first, FIRST_REQUEST_S)


def _held(what: str, found: float, limit: float) -> None:
    print(f"  {'ok ' if found <= limit else 'NOT'} {found:.2f} {what}; at most {limit:.2f}")


def _remember(answers: int, in_flight: int) -> None:
    """Peak memory of the whole verb on a large sheet."""
    print(f"{answers:,} answers without latency, {in_flight} in flight")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _prepare(place, answers, bodies=False)
        took = _measured(CONCORD, place, 0.0, in_flight, 0)
    print(f"{CONCORD:28} {took.seconds:7.2f} s, {answers / took.seconds:.0f} answers a second")
    _held("MB at the peak", took.peak_mb, MEMORY_MB)
    _held("s to the first request", took.first, FIRST_REQUEST_S)
    print(f"  load {os.getloadavg()[0]:.1f}\n", flush=True)


def _prepare(place: Path, answers: int, bodies: bool = True) -> None:
    """A database with the sheet, and the same requests in a file for the other clients."""
    from data import rubric_versions, sheets
    from data.store import open_store
    from judges.model import parse
    from judges.request import request

    items = [_item(number) for number in range(answers)]
    with open_store(place / "empty.db") as store:
        sheets.add(store, "large", items, "large.csv", "0" * 64, {})
        rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    if bodies:
        judge = parse(_judge_file("http://127.0.0.1:9/v1"), "mine.toml")
        with (place / "bodies.jsonl").open("w", encoding="utf-8") as file:
            for item in items:
                file.write(json.dumps(request(judge, rubric, item)) + "\n")


def _item(number: int):
    from data.model import Context, Item

    question, answer = f"How is filter {number} changed?", f"Answer {number}. {SENTENCE * 7}"
    shown = (Context("c1", "d", SENTENCE * 6, 1),)
    return Item(
        str(number), str(number), None, question, shown, answer, "m", (), (), None, False, {}, 1
    )


def _judge_file(url: str) -> str:
    return f'name = "mine"\nmodel = "m"\nrubric = "doc-qa-0-3"\n[endpoint]\nbase_url = "{url}"\n'


def _measured(client: str, place: Path, latency: float, in_flight: int, number: int) -> Took:
    """One client against a server of its own, as a process of its own."""
    with _serving(latency) as url:
        begun = time.time()
        if client == CONCORD:
            seconds, peak = _concord(place, url, in_flight, number)
        else:
            seconds, peak = _other(client, place, url, in_flight)
        with urllib.request.urlopen(url.replace("/v1", "/seen")) as reply:
            seen = json.load(reply)
    return Took(seconds, seen["first"] - begun, peak)


@contextmanager
def _serving(latency: float) -> Iterator[str]:
    """The server of the tests in a process of its own; its address."""
    command = [sys.executable, str(ROOT / "tests" / "endpoint.py"), "--forget"]
    with subprocess.Popen(
        [*command, f"--latency={latency}"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def _concord(place: Path, url: str, in_flight: int, number: int) -> tuple[float, float]:
    """The verb `judge` over a fresh copy of the database: its judging phase, and its peak."""
    db, judge = place / f"concord-{number}.db", place / "mine.toml"
    db.write_bytes((place / "empty.db").read_bytes())
    judge.write_text(_judge_file(url), encoding="utf-8")
    command = [sys.executable, str(ROOT / "cli.py"), "--db", str(db), "judge", str(judge)]
    command += ["--yes", "--json", f"--concurrency={in_flight}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    told = json.loads(process.stdout.read())["runs"][0]
    process.stdout.close()
    usage = os.wait4(process.pid, 0)[2]
    db.unlink()
    if told["counts"]["statuses"] != {"scored": 3 * told["counts"]["total"]}:
        sys.exit(f"Not everything was scored: {told['counts']}")
    return told["counts"]["seconds"], usage.ru_maxrss / 1024


def _other(client: str, place: Path, url: str, in_flight: int) -> tuple[float, float]:
    """This script again, as one of the bare clients."""
    command = [sys.executable, __file__, f"--client={client}", f"--url={url}"]
    command += [f"--bodies={place / 'bodies.jsonl'}", f"--in-flight={in_flight}"]
    said = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    seconds, peak = json.loads(said)
    return seconds, peak


async def _bare(client: str, url: str, bodies: Path, in_flight: int) -> None:
    """The openai client behind a semaphore, as its users write it; nothing is stored."""
    import openai

    more = {"http_client": openai.DefaultAioHttpClient()} if client == AIOHTTP else {}
    requests = [json.loads(line) for line in bodies.read_text(encoding="utf-8").splitlines()]
    gate = asyncio.Semaphore(in_flight)
    async with openai.AsyncOpenAI(base_url=url, api_key="none", **more) as asked:

        async def one(body: dict) -> str:
            async with gate:
                reply = await asked.chat.completions.create(**body)
                return reply.choices[0].message.content

        begun = time.monotonic()
        replies = await asyncio.gather(*(one(body) for body in requests))
        seconds = time.monotonic() - begun
    assert all(json.loads(reply) for reply in replies)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([seconds, peak]))


def _installed(peer: str) -> str:
    """Whether another tool is there to be measured."""
    try:
        return f"{importlib.metadata.version(peer.replace('_', '-'))} is installed"
    except importlib.metadata.PackageNotFoundError:
        return "not installed, not measured"


if __name__ == "__main__":
    main()
