"""Import preview: the first answers of a file, what would be taken, and what its values propose."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from concord.importing import sheet_import
from concord.importing.faults import Checked, faults
from concord.importing.proposals import Proposal, propose
from concord.importing.recognition import Found
from concord.messages import counted
from concord.reports.document import Column, Document, Table, table_of
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.text.display import one_line

ANSWERS, _CHARACTERS = 10, 200
# A mean of annotators is one annotator.
_KINDS = {"person": "annotators", "mean": "annotators", "judge": "judges", "metric": "metrics"}


def preview(read: Checked) -> dict[str, Any]:
    """Preview what a file that was read would give; nothing is stored.

    The column map as `map`; counts of `rows`, `answers`, `questions`, and answers by
    `answer_models` (most first, '' for no name), with `contexts` and `references`; grades by
    `annotators`, `judges`, `metrics`, and by criterion (`grades`); `bad_rows` and `folded` rows;
    `faults` and `flags` in sentences; and as `first` the first answers, their texts cut.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    shown = read.items[:ANSWERS]
    graded: dict[str, list[tuple]] = {item.identity: [] for item in shown}
    for item in read.items:
        counts["models"][item.answer_model or ""] += 1
        counts["with"].update(name for name in ("contexts", "reference") if getattr(item, name))
    for grade in read.grades:
        counts[_KINDS[grade.grader_kind]][grade.grader] += 1
        counts["grades"][grade.criterion] += 1
        if grade.item_key in graded:
            graded[grade.item_key].append((grade.grader, grade.criterion, grade.score))
    sorted_counts = ("annotators", "judges", "metrics", "grades")
    return {
        "map": read.columns.spoken(),
        "rows": read.rows,
        "answers": len(read.items),
        "questions": len({item.question_key for item in read.items}),
        "answer_models": dict(counts["models"].most_common()),
        "contexts": counts["with"]["contexts"],
        "references": counts["with"]["reference"],
        **{name: dict(counts[name].most_common()) for name in sorted_counts},
        "bad_rows": read.refused(),
        "folded": read.folded,
        "faults": tuple(faults(read.bad_rows)),
        "flags": tuple(read.remarks()),
        "first": [
            {
                "row": item.row,
                "question": one_line(item.question, _CHARACTERS),
                "answer": one_line(item.answer, _CHARACTERS),
                "answer_model": item.answer_model,
                "contexts": len(item.contexts),
                "references": len(item.reference),
                "grades": graded[item.identity],
                "metadata": tuple(item.metadata),
            }
            for item in shown
        ],
    }


def sentence(seen: Mapping[str, Any]) -> str:
    """The counts of a preview in words."""
    named = (
        *((seen[f"{noun}s"], noun) for noun in ("answer", "question")),
        (sum(bool(name) for name in seen["answer_models"]), "answering model"),
        *((len(seen[f"{noun}s"]), noun) for noun in ("annotator", "judge", "metric")),
        (sum(seen["grades"].values()), "grade"),
        (seen["bad_rows"], "bad row"),
    )
    return f"{', '.join(counted(n, noun) for n, noun in named if n)}."


def first_answers(found: Sequence[Mapping[str, Any]], most: int = _CHARACTERS) -> Table:
    """Return the first answers, their grades by grader; texts are cut to `most` characters."""

    def grades(answer: Mapping[str, Any]) -> str:
        return "; ".join(
            f"{grader} {criterion}: {'–' if score is None else f'{score:g}'}"
            for grader, criterion, score in answer["grades"]
        )

    parts = (
        (Column("row", "count"), "row"),
        ("question", lambda one: one_line(one["question"], most)),
        ("grades", grades),
        ("answer", lambda one: one_line(one["answer"], most)),
        ("answering model", "answer_model"),
        (Column("contexts", "count"), lambda one: one["contexts"] or None),
        (Column("references", "count"), lambda one: one["references"] or None),
        ("also kept", lambda one: ", ".join(one["metadata"])),
    )
    return table_of("first-answers", found, parts, sparse=True)


_LETTERS = 70  # of a text in a terminal


def report(
    store: Store,
    name: str,
    read: Checked,
    rubrics: Sequence[Rubric],
    found: Found | None = None,
) -> tuple[dict[str, Any], Document]:
    """What importing a file into the sheet of that name would take, for `--json` and as a document.

    Nothing is stored. `found` is what there is in a recognised export; nothing is proposed beyond
    its map.
    """
    seen, planned = preview(read), sheet_import.take_sheet(store, read, name, rubrics, dry_run=True)
    proposed = Proposal((), (), ()) if found else propose(read.table, read.columns.spoken())
    plain = {
        "sheet": name,
        "found": found and found.to_json(),
        **seen,
        "proposal": proposed.as_json(),
        "items_unchanged": planned.items_unchanged,
    }
    tables = (
        table_of("map", seen["map"], (("map", str),)),
        first_answers(seen["first"], _LETTERS),
        table_of("faults", seen["faults"], (("cannot be taken", str),)),
    )
    headline = f"{name}: {sentence(seen)} Nothing was imported."
    return plain, Document(headline, (planned.sentence(name),), tables)
