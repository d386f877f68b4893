"""Concurrent runs of one judge over sheets that share answers.

An answer is sent to a judge once, whatever sheets hold it; so two runs of a judge at the same time
must not have the same answers left to ask.
"""

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager

from concord.judges.running import run_lock
from concord.language.plurals import counted
from concord.problems import Problem
from concord.store import items, sheets
from concord.store.database import Store, file_lock
from concord.store.sheets import Sheet


@contextmanager
def held_off(
    store: Store, judge: str, sheet: Sheet, grader_id: int, wanted: Collection[str]
) -> Iterator[None]:
    """Hold the lock of a judge and a sheet, as the only run that may ask about its contents.

    Of several that start at the same moment the first continues; runs that share no answer run
    concurrently.

    Args:
        store: The open store.
        judge: The judge's name, for the sentence.
        sheet: The sheet.
        grader_id: The judge as a grader.
        wanted: The hashes of the contents that it may ask about.

    Raises:
        Problem: A run of this judge over this sheet is going on, or one over another sheet that
            may ask the same.
    """
    busy = f"{judge} is already running over “{sheet.name}”. Wait for it, or stop it first."
    with ExitStack() as own:
        with file_lock(f"{store.path}-judge-{grader_id}.lock"):  # held for a moment, so waited for
            own.enter_context(run_lock.locked(store, run_lock.of_judge(sheet.id, grader_id), busy))
            for other in sheets.all_sheets(store) if wanted else ():
                if other.id != sheet.id and _is_held(store, other.id, grader_id):
                    _check(store, judge, other, wanted)
        yield


def _check(store: Store, judge: str, other: Sheet, wanted: Collection[str]) -> None:
    """Raise a Problem if a sheet that the judge is running over shares contents with `wanted`."""
    shared = {row["content_hash"] for row in items.item_index(store, other.id)}
    shared.intersection_update(wanted)
    if shared:
        raise Problem(
            f"{judge} is at work on “{other.name}”, which holds {counted(len(shared), 'answer')} "
            "of those that are to be asked about here. Wait for it, or stop it first, so that none "
            "is paid twice."
        )


def _is_held(store: Store, sheet_id: int, grader_id: int) -> bool:
    """Tell if this judge is running over a sheet."""
    there = run_lock.of_judge(sheet_id, grader_id)
    return there.lock_path(store).exists() and run_lock.is_held(store, there)
