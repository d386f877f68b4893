"""Unit edit: the effect of an annotator's edit on a list of units and its labels."""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from concord.messages import said
from concord.metrics.prompts.unit_kinds import KINDS
from concord.reports.document import Column, Document, Table
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts
from concord.store.units.units import Decomposition
from concord.text.normal_form import folded

# Nothing can be gained by rewriting these: they are the texts of the sheet themselves.
AS_THEY_ARE = ("answer", "chunk")
_OTHER = said("another rubric")
_GIVEN_BY = {"person": said("annotators"), "metric": said("judges")}


class Edit(NamedTuple):
    """An annotator's edit of a list of units, and its effect.

    Attributes:
        texts: In order, each unit's old id (None for a new one) and its text.
        kept: Number of unchanged units.
        changed: Number with another text.
        added: Number of new units.
        removed: Number of removed units.
        moved: True where the remaining units are reordered.
        lost: Number of verdicts that no longer count, by grader kind and rubric title.
        again: Number of duplicate lines, which are dropped.
    """

    texts: list[tuple[int | None, str]]
    kept: int
    changed: int
    added: int
    removed: int
    moved: bool
    lost: dict[str, dict[str, int]]
    again: int = 0

    def is_none(self) -> bool:
        """True where nothing is changed, not even the order."""
        return not (self.changed or self.added or self.removed or self.moved)


def can_be_edited(kind: str) -> bool:
    """True where annotators may rewrite units of a kind; pairs follow their units."""
    return kind in KINDS and kind not in AS_THEY_ARE


def as_lines(cut: Decomposition) -> str:
    """The list as a text, a unit on each line."""
    return "\n".join(_line(unit.text) for unit in cut.units)


def plan(store: Store, cut: Decomposition, text: str) -> Edit:
    """Return the effect of a text with a unit per line on a list; nothing is stored.

    An unchanged line is the same unit; lines in place of others are those units, changed. Blank
    lines are dropped, and so are duplicates, except for units that a rule cuts from a text.
    """
    given = [_line(one) for one in text.splitlines() if one.strip()]
    lines = folded(given) if KINDS[cut.kind].rule is None else given
    texts = _matched(cut, lines)
    stay = {unit.id: _line(unit.text) for unit in cut.units}
    kept = {unit_id for unit_id, line in texts if unit_id and stay[unit_id] == line}
    known = {unit_id for unit_id, _ in texts if unit_id}
    originals = {unit.id: unit.text for unit in cut.units}
    made = [(i, originals[i] if i in kept else line) for i, line in texts]
    return Edit(
        texts=made,
        kept=len(kept),
        changed=len(known - kept),
        added=sum(unit_id is None for unit_id, _ in texts),
        removed=len(stay.keys() - known),
        moved=[i for i in stay if i in known] != [i for i, _ in made if i],
        lost=_lost(store, stay.keys() - kept),
        again=len(given) - len(lines),
    )


def document(edit: Edit) -> Document:
    """Return the effect of saving: the counts, and the verdicts that no longer count."""
    columns = (
        Column(said("verdicts by")),
        Column(said("rubric")),
        Column(said("verdicts"), "count"),
    )
    rows = tuple(
        (_GIVEN_BY[kind], title, n)
        for kind in _GIVEN_BY
        for title, n in edit.lost.get(kind, {}).items()
    )
    return Document(
        said(
            "{changed:,} changed, {added:,} added, {removed:,} removed, {kept:,} unchanged.",
            changed=edit.changed,
            added=edit.added,
            removed=edit.removed,
            kept=edit.kept,
        ),
        facts=(
            said("The order changes.") if edit.moved else "",
            said("Duplicates left out: {n:,}.", n=edit.again) if edit.again else "",
        ),
        tables=(Table("lost", columns, rows, said("Verdicts that no longer count")),),
        notes=(
            said("Annotators label these again.") if "person" in edit.lost else "",
            said("A judge evaluates new units when it is run again."),
        ),
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _matched(cut: Decomposition, lines: Sequence[str]) -> list[tuple[int | None, str]]:
    """Return each line with the id of the unit it is or was."""
    old = [_line(unit.text) for unit in cut.units]
    moved = {text: unit.id for text, unit in zip(old, cut.units, strict=True)}
    found: list[tuple[int | None, str]] = []
    taken: set[int] = set()
    for tag, a, b, c, d in SequenceMatcher(None, old, lines, autojunk=False).get_opcodes():
        for place in range(c, d):
            text, unit_id = lines[place], None
            if tag == "equal":
                unit_id = cut.units[a + place - c].id
            elif text in moved and text not in old[a:b]:
                unit_id = moved[text]
            elif tag == "replace" and a + place - c < b and old[a + place - c] not in lines:
                unit_id = cut.units[a + place - c].id
            if unit_id in taken:
                unit_id = None
            taken |= {unit_id} if unit_id else set()
            found.append((unit_id, text))
    return found


def _lost(store: Store, unit_ids: set[int]) -> dict[str, dict[str, int]]:
    """Return the number of verdicts on some units, by grader kind and rubric title."""
    titles = {
        version: rubric.title
        for rubric in rubric_versions.of_parts(store).values()
        for version in rubric.versions().values()
    }
    lost: dict[str, Counter] = {}
    for row in unit_verdicts.of_units(store, sorted(unit_ids)):
        title = titles.get(row["version"], _OTHER)
        lost.setdefault(row["kind"], Counter())[title] += 1
    return {kind: dict(counts) for kind, counts in lost.items()}
