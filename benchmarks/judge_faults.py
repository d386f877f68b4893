"""How many answers end with the judge's score at a server that fails now and then.

Every tool gets its whole retry policy as it comes. The server gives every answer the same score, so
any other score is one that the judge never gave. An answer was asked again without need where
another request of it came after a good reply was delivered.
"""

import json
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks import judge_peers, judged
from benchmarks.peers.run import adapter
from concord.store import grade_table
from concord.store.database import open_store
from concord.store.rubrics import rubric_versions

ANSWERS, LATENCY, CONCORD = 300, 0.05, "concord judge"
FAULTS = {"429": 0.05, "500": 0.02, "cut": 0.02, "drop": 0.01}
SCORE = 2  # of Concord's scale from 0 to 3
HEAD = f"{'':24} {'the score':>9} {'another':>8} {'none':>5} {'again':>6}   faults met"


class Ended(NamedTuple):
    """How many answers have the judge's score, another, none; were asked again; the faults met."""

    right: int
    other: int
    none: int
    again: int
    faults: Counter


def compare(peers: Mapping[str, judge_peers.Peer | None], in_flight: int) -> None:
    """Print a line for Concord and for each tool."""
    told = ", ".join(f"{share:.0%} {fault}" for fault, share in FAULTS.items())
    print(f"{ANSWERS} answers at {1000 * LATENCY:.0f} ms, {in_flight} in flight; {told}\n{HEAD}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        judged.prepare(place, ANSWERS)
        _print(CONCORD, _concord(place, in_flight))
        for name, peer in peers.items():
            if peer is None:
                print(f"{name:24} {judge_peers.ABSENT}")
            else:
                _print(peer.label, _peer(peer, place, in_flight))
    print(f"  load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def _print(name: str, ended: Ended) -> None:
    met = ", ".join(f"{ended.faults[fault]} {fault}" for fault in FAULTS)
    print(
        f"{name:24} {ended.right:9} {ended.other:8} {ended.none:5} {ended.again:6}   {met}",
        flush=True,
    )


def _peer(peer: judge_peers.Peer, place: Path, in_flight: int) -> Ended:
    log, form = place / f"{peer.name}.log", adapter(peer.name)
    with judged.serving(LATENCY, *_options(log, form.REPLY)) as url:
        scores = judge_peers.run(peer, place / "answers.jsonl", url, in_flight).scores
    return _ended(log, scores, form.SCORE)


def _concord(place: Path, in_flight: int) -> Ended:
    """The verb `judge`, given once; an answer has the score if all its criteria have it."""
    db, log = place / "empty.db", place / "concord.log"
    with open_store(db) as store:
        versions = rubric_versions.named(store, judged.RUBRIC)[1].versions()
    reply = json.dumps({name: {"reason": "As it says.", "score": SCORE} for name in versions})
    with judged.serving(LATENCY, *_options(log, reply)) as url:
        subprocess.run(judged.judging(db, url, in_flight), stdout=subprocess.PIPE)
    with open_store(db) as store:
        table = grade_table.table(store, 1, {version: name for name, version in versions.items()})
    by_item = table.pivot(index="item_id", columns="criterion", values="score")
    return _ended(log, [_joint(list(row)) for row in by_item.to_numpy()], SCORE)


def _joint(scores: list[float]) -> float | None:
    """What all criteria have; None where one has no score (nan), and -1 where they differ."""
    if any(score != score for score in scores):
        return None
    return scores[0] if len(set(scores)) == 1 else -1


def _options(log: Path, reply: str) -> list[str]:
    faults = [f"--fault={fault}={share}" for fault, share in FAULTS.items()]
    return [*faults, "--retry-after=1", f"--log={log}", f"--reply={reply}"]


def _ended(log: Path, scores: list[float | None], right: float) -> Ended:
    """A tool's scores beside what the server did. Answers without a line of their own have none."""
    good, again, faults, bodies = Counter(), 0, Counter(), set()
    for line in log.read_text("utf-8").splitlines():
        body, fault, status, delivered, _ = json.loads(line)
        faults[fault] += 1
        bodies.add(body)
        again += good[body] > 0
        good[body] += delivered and status == 200
    # Requests of one answer are told by their bytes, so these may not differ from try to try.
    assert len(bodies) == ANSWERS, f"{len(bodies)} bodies for {ANSWERS} answers"
    as_judged = sum(score == right for score in scores)
    other = sum(score is not None and score != right for score in scores)
    return Ended(as_judged, other, ANSWERS - as_judged - other, again, faults)
