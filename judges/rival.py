"""Rival: the same judge at work on another sheet that holds some of the same answers.

What a judge has answered is asked once, whatever sheets it stands in; so two of its runs at once
must not have the same before them.
"""

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager

from data import contents, sheets
from data.counted import counted
from data.sheets import Sheet
from data.store import Store, file_lock
from judges import place
from problems import Problem


@contextmanager
def held_off(
    store: Store, judge: str, sheet: Sheet, grader_id: int, wanted: Collection[str]
) -> Iterator[None]:
    """Hold the lock of a judge and a sheet, and be the only run of what it has to ask.

    Of several that start at the same moment the first goes on; runs that share no answer go on
    side by side.

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
            own.enter_context(place.locked(store, place.of_judge(sheet.id, grader_id), busy))
            for other in sheets.all_sheets(store) if wanted else ():
                if other.id != sheet.id and _is_held(store, other.id, grader_id):
                    _check(store, judge, other, wanted)
        yield


def _check(store: Store, judge: str, other: Sheet, wanted: Collection[str]) -> None:
    """A Problem where a sheet that the judge is at work on holds some of what is wanted."""
    shared = {row["content_hash"] for row in contents.item_index(store, other.id)}
    shared.intersection_update(wanted)
    if shared:
        raise Problem(
            f"{judge} is at work on “{other.name}”, which holds {counted(len(shared), 'answer')} "
            "of those that are to be asked about here. Wait for it, or stop it first, so that none "
            "is paid twice."
        )


def _is_held(store: Store, sheet_id: int, grader_id: int) -> bool:
    """Whether a run of this judge over a sheet is at work."""
    there = place.of_judge(sheet_id, grader_id)
    return there.lock_path(store).exists() and place.is_held(store, there)
