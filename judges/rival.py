"""Rival: the same judge at work on another sheet that holds some of the same answers.

What a judge has answered is asked once, whatever sheets it stands in; so two of its runs at once
must not have the same before them.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from data import contents, sheets
from data.counted import counted
from data.store import Store, file_lock
from judges import place
from judges.job import Job
from problems import Problem


@contextmanager
def held_off(store: Store, job: Job, grader_id: int, busy: str) -> Iterator[None]:
    """Hold the lock of this judge and sheet, and be the only run of what the job has to ask.

    Of several that start at the same moment the first goes on; runs that share no answer go on
    side by side.

    Raises:
        Problem: `busy` where this judge and sheet have a run, else naming the sheet that is in the
            way.
    """
    with ExitStack() as own:
        with file_lock(f"{store.path}-judge-{grader_id}.lock"):  # held for a moment, so waited for
            own.enter_context(place.locked(store, place.of_judge(job.sheet.id, grader_id), busy))
            _check(store, job, grader_id)
        yield


def _check(store: Store, job: Job, grader_id: int) -> None:
    """A Problem where another run may ask the same; only under the judge's own lock."""
    wanted = {task.content_hash for task in job.pending}
    for sheet in sheets.all_sheets(store) if wanted else ():
        if sheet.id == job.sheet.id or not _is_held(store, sheet.id, grader_id):
            continue
        shared = wanted & {row["content_hash"] for row in contents.item_index(store, sheet.id)}
        if shared:
            raise Problem(
                f"{job.judge.name} is at work on “{sheet.name}”, which holds "
                f"{counted(len(shared), 'answer')} of those that are to be asked about here. Wait "
                "for it, or stop it first, so that none is paid twice."
            )


def _is_held(store: Store, sheet_id: int, grader_id: int) -> bool:
    """Whether a run of this judge over a sheet is at work."""
    there = place.of_judge(sheet_id, grader_id)
    return there.lock_path(store).exists() and place.is_held(store, there)
