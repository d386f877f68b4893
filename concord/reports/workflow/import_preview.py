"""Import preview: the first answers of a file, what would be taken, and what its values propose."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from concord.importing import sheet_import
from concord.importing.answer_file import AnswerSheet
from concord.importing.proposals import Proposal, propose
from concord.importing.recognition.recognise import Found
from concord.importing.sheet_import import PreviewAnswer, preview
from concord.messages import joined
from concord.reports.document import Column, Document, Table, table_of
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.text.display import one_line

_NO_TITLES: Mapping[str, str] = MappingProxyType({})


def grades_of(answer: PreviewAnswer, titles: Mapping[str, str] = _NO_TITLES) -> str:
    """The grades of an answer by grader, with the criterion where there are several."""
    several = len({criterion for _, criterion, _ in answer.grades}) > 1
    return joined(
        "; ",
        (
            f"{grader}{f' {titles.get(criterion, criterion)}' if several else ''}: "
            f"{'–' if score is None else f'{score:g}'}"
            for grader, criterion, score in answer.grades
        ),
    )


def first_answers(
    found: Sequence[PreviewAnswer], most: int = 0, titles: Mapping[str, str] = _NO_TITLES
) -> Table:
    """Return the first answers; texts are cut to `most` characters, 0 for whole ones.

    `titles` are those of the criteria by name.
    """

    def cut(text: str) -> str:
        return one_line(text, most) if most else text

    parts = (
        (Column("row", "count"), lambda one: one.row),
        (Column("question"), lambda one: cut(one.question)),
        (Column("grades"), lambda one: grades_of(one, titles)),
        (Column("answer"), lambda one: cut(one.answer)),
        (Column("answering model"), lambda one: one.answer_model or ""),
        (Column("contexts", "count"), lambda one: one.contexts),
        (Column("references", "count"), lambda one: one.references),
        (Column("also kept"), lambda one: joined(", ", one.metadata)),
    )
    filled = [part for part in parts if not found or any(map(part[1], found))]
    return table_of("first-answers", found, filled)  # an empty column says nothing


_LETTERS = 70  # of a text in a terminal


def report(
    store: Store, name: str, read: AnswerSheet, rubric: Rubric | None, found: Found | None = None
) -> dict[str, Any]:
    """Return what importing a file into the sheet of that name would take; nothing is stored.

    `found` is what there is in a recognised export; nothing is proposed beyond its map.
    """
    planned = sheet_import.preview_sheet(store, read, name, rubric)
    proposed = Proposal((), (), ()) if found else propose(read.table, read.columns.spoken())
    about = {"sheet": name, "seen": preview(read), "planned": planned}
    return about | {"proposed": proposed, "found": found}


def as_json(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report for `--json`."""
    planned, found = one["planned"], one["found"]
    return {
        "sheet": one["sheet"],
        "found": found and found.to_json(),
        **one["seen"].as_json(),
        "proposal": one["proposed"].as_json(),
        "items_unchanged": planned.items_unchanged,
        "items_recognised": planned.items_recognised,
        "items_alike": planned.items_alike,
    }


def document(one: Mapping[str, Any]) -> Document:
    """Return what a dry run shows of a file."""
    seen, planned, found, proposed = (one[key] for key in ("seen", "planned", "found", "proposed"))
    counts = (
        ("answering model", "answers", seen.answer_models),
        ("criterion", "grades", seen.grades),
        ("annotator", "grades", seen.annotators),
        ("judge", "grades", seen.judges),
        ("metric", "values", seen.metrics),
    )
    tables = (
        _listed("map", "map", seen.map),
        *(_found(found) if found else ()),
        _listed("proposed", "with --as-proposed", (*proposed.words, *proposed.grades)),
        Table(
            "undecided",
            (Column("undecided"), Column("values"), Column("option")),
            tuple(
                (
                    each.column,
                    joined(", ", (one_line(value, 24) for value in each.values)),
                    f'--map "{each.word}"',
                )
                for each in proposed.undecided
            ),
        ),
        *(_counts(*each) for each in counts),
        first_answers(seen.first, _LETTERS),
        _listed("faults", "cannot be taken", seen.faults),
    )
    headline = f"{one['sheet']}: {seen.sentence()} Nothing was imported."
    return Document(headline, tuple(filter(None, (planned.recognised(), planned.alike()))), tables)


def _listed(name: str, head: str, found: Iterable[str]) -> Table:
    return Table(name, (Column(head),), tuple((one,) for one in found))


def _found(found: Found) -> tuple[Table, ...]:
    """Return the identities of the judges of an export, and what of it is left out."""
    reason, count = Column("reason"), Column("count", "count")
    named = [one for one in found.judges if one.model or one.version or one.prompt]
    return (
        Table(
            "judges",
            (Column("judge"), Column("model"), Column("version"), Column("prompt")),
            tuple((one.name, one.model, one.version, one.prompt[:_LETTERS]) for one in named),
        ),
        Table(
            "left_out",
            (Column("left out"), count, reason),
            tuple((one.what, one.count, one.reason) for one in found.left_out),
        ),
    )


def _counts(of: str, what: str, found: Mapping[str, int]) -> Table:
    rows = tuple((name, n) for name, n in found.items() if name)
    return Table(of, (Column(of), Column(what, "count")), rows)
