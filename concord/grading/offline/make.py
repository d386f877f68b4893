"""Making packs: each grader's work kept as a pack, and written as files."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from concord.exporting.tables import naming
from concord.grading.grading_sets import GradingSet
from concord.grading.offline import packages
from concord.grading.offline.columns import Blank, Pack, changed_by_cleaning
from concord.grading.offline.files import JSONL, XLSX, files
from concord.messages import counted, joined, said
from concord.problems import Problem
from concord.store import graders
from concord.store.database import Store

USUAL = (XLSX, JSONL)


class Made(NamedTuple):
    """Packages with their rows, files as bytes by name, remarks, and location.

    `finished` are graders with nothing left to grade, who get no package.
    """

    packs: list[tuple[Pack, int]]
    held: dict[str, bytes]
    notes: list[str]
    finished: list[str]
    files: tuple[Path, ...] = ()

    def sentence(self, where: str) -> str:
        """Lines on the contents of each grader's package."""
        lines = [f"{pack.grader}: {counted(rows, 'row')}" for pack, rows in self.packs]
        return "\n".join([*lines, f"{counted(len(self.files), 'file')} written to {where}."])


def make(
    store: Store,
    grading_set: GradingSet,
    names: Sequence[str],
    count: int | None,
    repeats: float | None,
    forms: Sequence[str],
    by: str,
) -> Made:
    """Make a package and its files, in memory, for each grader with answers left to grade.

    See `packages.annotators` for the choice of graders; a Problem where none has answers left.

    Args:
        store: The open store.
        grading_set: The set; these annotators count as having begun it.
        names: The graders.
        count: Number of new graders, where `names` is empty.
        repeats: Share of answers repeated as hidden repeats, 0 to 1; None for the set's own.
        forms: Of `files.FORMS`; the default ones where empty.
        by: The user who makes them.
    """
    rubric = packages.of_answers(store, grading_set)
    with store.write():  # who has nothing to grade leaves no new names behind
        annotators = packages.annotators(store, grading_set, names, count)
        laid = {one: packages.left(store, grading_set, one, repeats) for one in annotators}
        finished = [graders.get(store, one).name for one, held in laid.items() if not held]
        if len(finished) == len(laid):
            raise Problem(
                said(
                    "Nothing is left to grade in “{set}” for {names}.",
                    set=grading_set.name,
                    names=joined(", ", finished),
                )
            )
        made = [
            packages.make(store, grading_set, one, held, by) for one, held in laid.items() if held
        ]
    blanks = [Blank(grading_set.name, pack.grader, rubric, rows) for pack, rows in made]
    held = files(blanks, tuple(dict.fromkeys(forms)) or USUAL)
    changed = sum(changed_by_cleaning(rows) for _, rows in made)
    notes = []
    if finished:
        who = joined(", ", finished)
        notes.append(said("No file for {names}: no answers are left to grade.", names=who))
    if changed:
        notes.append(
            said(
                "{rows} had characters that files for annotators cannot contain. They were "
                "replaced by visible signs such as ␀.",
                rows=counted(changed, "row"),
            )
        )
    return Made([(pack, len(rows)) for pack, rows in made], held, notes, finished)


def write(store: Store, grading_set: GradingSet, names, count, repeats, forms, out, by) -> Made:
    """The same, written into a new or empty folder, which is looked at before anything is made."""
    folder = Path(out)
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise Problem(f"{folder} is not an empty folder. Name a new one for the packs.")
        made = make(store, grading_set, names, count, repeats, forms, by)
        for name, content in made.held.items():
            (folder / name).write_bytes(content)
    return made._replace(files=tuple(folder / name for name in made.held))
