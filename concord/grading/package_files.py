"""Making packs: each grader's work kept as a pack, and written as a workbook."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from concord.exporting.exported_tables import naming
from concord.grading import packages
from concord.grading.grading_sets import GradingSet
from concord.grading.packages import Blank, Pack, clean
from concord.messages import Problem, counted, joined, said
from concord.store import graders
from concord.store.database import Store

_NO_NAME = re.compile(r"[^\w .()@+-]+")


class Made(NamedTuple):
    """Packages with their rows, files as bytes by name, remarks, and location.

    `finished` are graders with nothing left to grade, who get no package.
    """

    packs: list[tuple[Pack, int]]
    held: dict[str, bytes]
    notes: list[str]
    finished: list[str]
    files: tuple[Path, ...] = ()


def make(
    store: Store,
    grading_set: GradingSet,
    names: Sequence[str],
    count: int | None,
    repeats: float | None,
    by: str,
) -> Made:
    """Make a package and its files, in memory, for each grader with answers left to grade.

    See `packages.annotators` for the choice of graders by `names` and `count`; a Problem where none
    has answers left. They count as having begun the set. `repeats` is the share of hidden repeats,
    None for the set's own.
    """
    from concord.grading import package_workbook  # openpyxl takes long to import

    rubric = packages.of_answers(store, grading_set)
    with store.write():  # who has nothing to grade leaves no new names behind
        annotators = packages.annotators(store, grading_set, names, count)
        laid = {one: packages.remaining(store, grading_set, one, repeats) for one in annotators}
        finished = [graders.get(store, one).name for one, held in laid.items() if not held]
        if len(finished) == len(laid):
            raise Problem(
                "Nothing is left to grade in “{set}” for {names}.",
                set=grading_set.name,
                names=joined(", ", finished),
            )
        made = [
            packages.make(store, grading_set, one, held, by) for one, held in laid.items() if held
        ]
    held: dict[str, bytes] = {}
    for pack, rows in made:
        # A name as every system takes it for a file's, numbered where it is taken.
        parts = (_NO_NAME.sub("_", name).strip(" .") for name in (grading_set.name, pack.grader))
        stem = name = " - ".join(part or "pack" for part in parts)
        while name.casefold() in map(str.casefold, held):
            name = f"{stem} ({len(held) + 1})"
        held[name] = package_workbook.write(Blank(rubric, rows))
    held = {f"{name}.xlsx": content for name, content in held.items()}
    changed = sum(
        any(clean(text) != text for text in row.texts.values()) for _, rows in made for row in rows
    )
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


def write(store: Store, grading_set: GradingSet, names, count, repeats, out, by) -> Made:
    """The same, written into a new or empty folder, which is looked at before anything is made."""
    folder = Path(out)
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise Problem(
                "{folder} is not an empty folder. Name a new one for the packages.", folder=folder
            )
        made = make(store, grading_set, names, count, repeats, by)
        for name, content in made.held.items():
            (folder / name).write_bytes(content)
    return made._replace(files=tuple(folder / name for name in made.held))
