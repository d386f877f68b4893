"""How a run over a Dask cluster on this machine grows with its workers.

    pip install -e '.[dask]'
    python benchmarks/spread.py [--answers 400] [--latency 1.0] [--in-flight 16]

The server of the tests answers with a fixed latency. The same sheet is judged by a cluster of one
worker and of two, each with the same number of requests in flight, everything merged into the
store. The ideal is ceil(answers / requests in flight together) x latency.
"""

import argparse
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[0] = str(ROOT)  # not the folder of this file, where a module may hide one of Python's

from concord.judges.definition import model  # noqa: E402
from concord.judges.run import cluster as distributed  # noqa: E402
from concord.judges.run import judging as session  # noqa: E402
from concord.judges.run.job import Options  # noqa: E402
from concord.model import Context, Item  # noqa: E402
from concord.store import additions  # noqa: E402
from concord.store.database import open_store  # noqa: E402

WORKERS = (1, 2)


def main() -> None:
    """Measure and print one line for each number of workers."""
    asked = _arguments()
    print("| workers | seconds | ideal | ratio | beside one worker |\n|---|---|---|---|---|")
    first = None
    with _served(asked.latency) as url:
        for workers in WORKERS:
            took = _seconds(url, workers, asked.answers, asked.in_flight)
            ideal = math.ceil(asked.answers / (workers * asked.in_flight)) * asked.latency
            first = first or took
            ratio, gain = took / ideal, first / took
            print(f"| {workers} | {took:.1f} | {ideal:.1f} | {ratio:.2f} | {gain:.2f} |")


@contextmanager
def _served(latency: float) -> Iterator[str]:
    """The server of the tests as a process of its own; yields its address."""
    command = [sys.executable, "-m", "tests.support.endpoint", "--latency", str(latency)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield server.stdout.readline().strip()
    finally:
        server.kill()


def _seconds(url: str, workers: int, answers: int, in_flight: int) -> float:
    """Seconds from the first request written to the last grade merged; the cluster stands by."""
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder, "c.db")) as store:
        additions.add(store, "s", [_item(n) for n in range(answers)], "s.csv", "0" * 64, {})
        judge = model.parse(
            f'name = "j"\nmodel = "m"\nrubric = "doc-qa-0-3"\n[endpoint]\nbase_url = "{url}"\n', "j"
        )
        job = session.prepared(store, judge, Options())
        with distributed.cluster(str(workers)) as calls:
            begun = time.perf_counter()
            part_tasks = math.ceil(answers / workers)
            ended = distributed.run(store, job, calls, folder, in_flight, part_tasks)
            took = time.perf_counter() - begun
        assert ended.counts.done == answers
    return took


def _item(number: int) -> Item:
    """One short answer."""
    return Item(
        own_id=str(number),
        question_id=str(number),
        cluster=None,
        question=f"What is done at step {number}?",
        contexts=(Context("", "", f"At step {number} the valve is closed.", 1),),
        answer=f"The valve is closed at step {number}.",
        answer_model="m",
        reference=(),
        reference_contexts=(),
        turns=None,
        synthetic=False,
        metadata={},
        row=number,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=400)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds")
    parser.add_argument("--in-flight", type=int, default=16, help="by each worker")
    return parser.parse_args()


if __name__ == "__main__":
    main()
