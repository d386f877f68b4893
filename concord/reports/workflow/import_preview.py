"""Import preview: the first answers of a file, what would be taken, and what its values propose."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from concord.importing import sheet_import
from concord.importing.answer_file import AnswerSheet
from concord.importing.proposals import Proposal, propose
from concord.importing.recognition.recognise import Found
from concord.importing.sheet_import import preview
from concord.reports.document import Column, Document, Table, table_of
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.text.display import one_line

_NO_TITLES: Mapping[str, str] = MappingProxyType({})


def first_answers(
    found: Sequence[Mapping[str, Any]], most: int = 0, titles: Mapping[str, str] = _NO_TITLES
) -> Table:
    """Return the first answers; texts are cut to `most` characters, 0 for whole ones.

    Grades are by grader, with the criterion, by its title in `titles`, where there are several.
    """

    def cut(text: str) -> str:
        return one_line(text, most) if most else text

    def grades(answer: Mapping[str, Any]) -> str:
        several = len({criterion for _, criterion, _ in answer["grades"]}) > 1
        return "; ".join(
            f"{grader}{f' {titles.get(criterion, criterion)}' if several else ''}: "
            f"{'–' if score is None else f'{score:g}'}"
            for grader, criterion, score in answer["grades"]
        )

    parts = (
        (Column("row", "count"), lambda one: one["row"]),
        ("question", lambda one: cut(one["question"])),
        ("grades", grades),
        ("answer", lambda one: cut(one["answer"])),
        ("answering model", lambda one: one["answer_model"] or ""),
        (Column("contexts", "count"), lambda one: one["contexts"] or None),
        (Column("references", "count"), lambda one: one["references"] or None),
        ("also kept", lambda one: ", ".join(one["metadata"])),
    )
    return table_of("first-answers", found, parts, sparse=True)


_LETTERS = 70  # of a text in a terminal


def report(
    store: Store,
    name: str,
    read: AnswerSheet,
    rubrics: Sequence[Rubric],
    found: Found | None = None,
) -> dict[str, Any]:
    """Return what importing a file into the sheet of that name would take; nothing is stored.

    `found` is what there is in a recognised export; nothing is proposed beyond its map.
    """
    planned = sheet_import.take_sheet(store, read, name, rubrics, dry_run=True)
    proposed = Proposal((), (), ()) if found else propose(read.table, read.columns.spoken())
    about = {"sheet": name, "seen": preview(read), "planned": planned}
    return about | {"proposed": proposed, "found": found}


def as_json(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report for `--json`."""
    planned, found = one["planned"], one["found"]
    return {
        "sheet": one["sheet"],
        "found": found and found.to_json(),
        **one["seen"],
        "proposal": one["proposed"].as_json(),
        "items_unchanged": planned.items_unchanged,
        "items_recognised": planned.items_recognised,
        "items_alike": planned.items_alike,
    }


def document(one: Mapping[str, Any]) -> Document:
    """Return what a dry run shows of a file, beside the notes on how it is read."""
    seen, planned, found = (one[key] for key in ("seen", "planned", "found"))
    counts = (
        ("answering model", seen["answer_models"]),
        ("criterion", seen["grades"]),
        ("annotator", seen["annotators"]),
        ("judge", seen["judges"]),
        ("metric", seen["metrics"]),
    )
    judges = [one for one in (found.judges if found else ()) if any(one[1:])]
    tables = (
        _table("map", ("map",), ((one,) for one in seen["map"])),
        _table(
            "judges",
            ("judge", "model", "version", "prompt"),
            ((one.name, one.model, one.version, one.prompt[:_LETTERS]) for one in judges),
        ),
        _table(
            "counts",
            ("of", "name", "count"),
            ((of, name, n) for of, named in counts for name, n in named.items() if name),
        ),
        first_answers(seen["first"], _LETTERS),
        _table("faults", ("cannot be taken",), ((one,) for one in seen["faults"])),
    )
    headline = f"{one['sheet']}: {sheet_import.preview_sentence(seen)} Nothing was imported."
    return Document(headline, (planned.sentence(one["sheet"]),), tables)


def _table(name: str, heads: Sequence[str], rows: Iterable[tuple]) -> Table:
    columns = (Column(head, "count" if head == "count" else "text") for head in heads)
    return Table(name, tuple(columns), tuple(rows))
