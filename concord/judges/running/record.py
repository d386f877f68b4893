"""The record of a run in the store, from its start to its end, whatever ends it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from concord.judges.running.progress import Counts
from concord.judges.running.run_loop import STOPPED, RunState
from concord.judges.running.writer import Writer
from concord.messages import said
from concord.problems import Problem
from concord.store import runs
from concord.store.database import Store

FAULT = said("A fault in Concord ended the run; the command line shows it.")


@dataclass
class Record:
    """How a run ended, as it is stored; a fault unless the work sets another status."""

    id: int
    status: str = "failed"
    why: str = FAULT


@contextmanager
def recorded(store: Store, run_id: int, counts: Counts) -> Iterator[Record]:
    """Store how a run ended and how far it got, also when it is interrupted."""
    record = Record(run_id)
    try:
        yield record
    except KeyboardInterrupt:
        record.status, record.why = "stopped", said("Interrupted.")
        raise
    except Problem as problem:
        record.status, record.why = "failed", str(problem)
        raise
    finally:
        runs.finish(store, record.id, record.status, record.why, counts.as_dict())


async def beat(
    state: RunState, disk: Writer, run_id: int, report: Callable[[Counts], None]
) -> None:
    """Store the progress; read whether to stop, and whether the budget was changed."""
    if await disk.do(runs.beat, run_id, state.counts.as_dict()):
        state.stop(STOPPED)
    state.budget = state.budget._replace(limit=await disk.do(runs.budget, run_id))
    report(state.counts)
