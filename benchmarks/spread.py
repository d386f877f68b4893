"""How a run over a Dask cluster on this machine grows with its workers.

    pip install -e '.[dask]'
    python benchmarks/spread.py [--answers 400] [--latency 1.0] [--in-flight 16]

The server of the tests answers with a fixed latency. The same sheet is judged by a cluster of one
worker and of two, each with the same number of requests in flight, everything stored. The ideal is
ceil(answers / requests in flight together) x latency.
"""

import argparse
import math
import sys
import tempfile
from pathlib import Path

from distributed import LocalCluster

ROOT = Path(__file__).parent.parent
sys.path[0] = str(ROOT)  # not the folder of this file, where a module may hide one of Python's

from benchmarks import judged  # noqa: E402
from concord.judges.definition import model  # noqa: E402
from concord.judges.run import cluster, judging, session  # noqa: E402
from concord.judges.run.job import Options  # noqa: E402
from concord.store import additions  # noqa: E402
from concord.store.database import open_store  # noqa: E402
from tests.support.made_items import made_item  # noqa: E402


def main() -> None:
    """Measure and print one line for each number of workers."""
    asked = _arguments()
    print("| workers | seconds | ideal | ratio | beside one worker |\n|---|---|---|---|---|")
    first = None
    with judged.serving(asked.latency) as url:
        for workers in (1, 2):
            took = _seconds(url, workers, asked.answers, asked.in_flight)
            ideal = math.ceil(asked.answers / (workers * asked.in_flight)) * asked.latency
            first = first or took
            ratio, gain = took / ideal, first / took
            print(f"| {workers} | {took:.1f} | {ideal:.1f} | {ratio:.2f} | {gain:.2f} |")


def _seconds(url: str, workers: int, answers: int, in_flight: int) -> float:
    """Seconds from the start of the run to the last grade stored; the cluster stands by."""
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder, "c.db")) as store:
        additions.add(store, "s", [*map(made_item, range(answers))], "s.csv", "0" * 64, {})
        judge = model.parse(judged.judge_file(url), "j")
        job = judging.prepare(store, judge, Options())
        of = {"threads_per_worker": in_flight, "dashboard_address": ":0", "host": "127.0.0.1"}
        with LocalCluster(n_workers=workers, **of) as here:
            connect = cluster.connected(here.scheduler_address)
            ended = session.run(store, job, connect, concurrency=workers * in_flight)
        assert ended.counts.done == answers
    return ended.counts.seconds


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=400)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds")
    parser.add_argument("--in-flight", type=int, default=16, help="by each worker")
    return parser.parse_args()


if __name__ == "__main__":
    main()
