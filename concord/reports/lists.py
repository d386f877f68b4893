"""Lists: sheets, imports, rubrics, judges, graders, members and answers as documents."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from concord.grading import grading_sets
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Price
from concord.judges.definition.providers import Provider
from concord.messages import counted, day, joined, minute, span
from concord.model import Sheet
from concord.reports.cells import UNDEFINED
from concord.reports.document import Column, Document, Table, table_of
from concord.rubrics.model import Rubric
from concord.sampling.splits import CALLED
from concord.store.answer_record import ListedScore
from concord.store.answer_search import AnswerPage
from concord.store.database import Store
from concord.store.imports import SHEET, Import
from concord.store.permissions import GRADER, LEAD, VIEWER
from concord.store.rubrics.rubric_edits import Version
from concord.team import members as stored_members
from concord.team import sessions
from concord.team.members import NONE
from concord.text.display import one_line


def sheets(found: Sequence[Sheet]) -> Document:
    """Return every sheet with its size; the next step without any."""
    if not found:
        return Document(
            "There is no sheet yet. Import one with `import FILE`, or load the sample with `demo`."
        )
    return Document("", tables=(sheet_table(found),))


def sheet_table(found: Iterable[Sheet]) -> Table:
    """Return a row for each sheet."""
    parts = (
        ("sheet", "name"),
        (Column("answers", "count"), "items"),
        (Column("questions", "count"), "questions"),
        (Column("synthetic", "count"), "synthetic"),
        ("answering models", lambda one: joined(", ", one.answer_models) or "not said"),
        ("imported on", lambda one: day(one.imported_at)),
        ("from", "source_name"),
    )
    return table_of("sheets", found, parts)


def imports(found: Sequence[Import]) -> Document:
    """Return every import of a sheet, with the number that `--undo` takes."""
    return Document("", tables=(import_table(found),))


def import_table(found: Iterable[Import]) -> Table:
    """Return a row for each import of a sheet."""
    parts = (
        (Column("import", "count"), "number"),
        ("file", "file"),
        ("kind", lambda one: "answers" if one.kind == SHEET else "grades"),
        (Column("answers", "count"), "answers"),
        (Column("grades", "count"), "grades"),
        ("imported on", lambda one: minute(one.imported_at)),
        ("undone", lambda one: minute(one.undone_at)),
        ("columns", lambda one: joined(", ", one.columns)),
    )
    return table_of("files", found, parts)


def answers(found: AnswerPage) -> Document:
    """Return a page of answers with the number of all that were found."""
    parts = (
        ("answer", "name"),
        ("question", lambda one: one_line(one.question, 40)),
        ("model", "answer_model"),
        ("text", lambda one: one_line(one.answer, 60)),
    )
    count = f"{len(found.answers):,} of {found.total:,} answers"
    return Document(count, tables=(table_of("answers", found.answers, parts),))


def rubrics(found: Iterable[Rubric]) -> Document:
    """Return every rubric with its scale and criteria."""
    parts = (
        ("rubric", "name"),
        ("scale", lambda one: span(one.scale[0], one.scale[-1])),
        ("criteria", lambda one: joined(", ", (each.name for each in one.criteria))),
        ("title", "title"),
    )
    return Document("", tables=(table_of("rubrics", found, parts),))


def rubric_versions(found: Iterable[Version]) -> Document:
    """Return every version of every criterion of a rubric, with its grades."""
    parts = (
        ("criterion", "criterion"),
        ("version", lambda one: one.version[:8]),
        ("state", lambda one: "current" if one.newest else "earlier"),
        (Column("grades", "count"), "grades"),
        ("since", lambda one: day(one.since)),
        (
            "also counted in version",
            lambda one: joined("; ", (f"{to[:8]} ({why})" for to, why in one.counted_in)),
        ),
    )
    return Document("", tables=(table_of("versions", found, parts),))


def judges(
    shipped: Iterable[Judge], used: Sequence[Mapping], known: Iterable[Provider]
) -> Document:
    """Return the judges that ship, those that have graded, and the servers whose quirks are known.

    `judges --endpoint NAME` begins a judge file for a server.
    """
    presets = (
        ("judge", "name"),
        ("model", lambda one: f"{one.model or ''}{' (retired)' if one.retired else ''}"),
        ("prompt", lambda one: one.recipe() if one.chats and one.asks_rubric else ""),
        ("rubric", lambda one: "metrics" if one.of_metrics else one.rubric or ""),
    )
    servers = (
        ("server", "name"),
        ("", "title"),
        ("address", lambda one: one.endpoint.base_url or one.endpoint.azure_endpoint),
        ("tried", lambda one: one.was_tried()),
    )
    return Document(
        "",
        tables=(
            table_of("judges", shipped, presets),
            _grader_table(used, "Have graded:"),
            table_of("servers", known, servers),
        ),
    )


def graders(found: Sequence[Mapping]) -> Document:
    """Return everyone who graded, with counts; simulated ones are marked."""
    return Document("" if found else "No grades yet.", tables=(_grader_table(found),))


def _grader_table(found: Sequence[Mapping], title: str = "") -> Table:
    def kind(row: Mapping) -> str:
        states = (f" ({one})" for one in ("simulated", "paused", "pending") if row.get(one))
        return row["kind"] + next(states, "")

    parts = (
        ("grader", lambda row: "@".join(filter(None, (row["name"], row["fingerprint"])))),
        ("kind", kind),
        (Column("answers", "count"), "answers"),
        (Column("grades", "count"), "grades"),
        (
            Column("stated USD per 1,000 answers", "usd"),
            lambda row: (row.get("stated_price") or {}).get("per_1000"),
        ),
    )
    return table_of("graders", found, parts, title, sparse=True)


def split_table(found: Iterable[Mapping], unused: Iterable[int], most: int = 0) -> Table:
    """Return a row for each question with its split; one without an id of its own by its number.

    `unused` are the questions that no figure includes; texts are cut to `most` characters, 0 for
    whole ones.
    """
    unused = {*unused}
    parts = (
        ("question", lambda row: row["own_id"] or str(row["id"])),
        ("split", lambda row: CALLED[row["split"]]),
        ("in figures", lambda row: "no" if row["id"] in unused else "yes"),
        ("cluster", lambda row: row["cluster"] or ""),
        (Column("answers", "count"), "answers"),
        ("text", lambda row: one_line(row["text"], most) if most else row["text"]),
    )
    return table_of("splits", found, parts)


def prices(found: Sequence[Price]) -> Document:
    """Return the prices that apply today, in USD per million tokens."""

    def usd(number: Decimal | None) -> str:
        return UNDEFINED if number is None else f"{number:f}"

    parts = (
        ("model", "model"),
        ("server", lambda one: one.host or "any server"),
        ("requests", lambda one: "decision" if one.decisions else ""),
        ("input", lambda one: usd(one.input)),
        ("cached input", lambda one: usd(one.cached)),
        ("output", lambda one: usd(one.output)),
        ("date", lambda one: one.date.isoformat()),
        ("source", "source"),
    )
    return Document("USD per million tokens", tables=(table_of("prices", found, parts),))


def exported_grades(n: int, left_out: Sequence[str], file: Path) -> Document:
    """Return how many grades a file for another tool has, and what was left out of it."""
    return Document(f"{counted(n, 'grade')} in {file}.", notes=tuple(left_out))


def score_cells(given: Sequence[ListedScore], annotator: str = "") -> dict[int, dict[str, str]]:
    """Return `3, 2 | 1` by answer and criterion: annotators' scores by name, then judges'.

    All are under one wording: the newest that the `annotator`, who comes first, used, else any
    annotator, else a judge.
    """
    newest = sorted(given, key=lambda one: (one.kind == "person", one.grader == annotator))
    wording = {(one.item_id, one.criterion): one.version for one in newest}
    scores: dict[tuple[int, str], dict[str, list[str]]] = {}
    for one in sorted(given, key=lambda one: (one.grader != annotator, one.grader)):
        place = one.item_id, one.criterion
        if one.version == wording[place]:
            by_kind = scores.setdefault(place, {"person": [], "judge": []})
            by_kind[one.kind].append(UNDEFINED if one.score is None else f"{one.score:g}")
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for (item_id, criterion), by_kind in scores.items():
        people, judges = (", ".join(by_kind[kind]) for kind in ("person", "judge"))
        found[item_id][criterion] = f"{people or UNDEFINED} | {judges}" if judges else people
    return dict(found)


ROLES = {GRADER: "annotator", VIEWER: "viewer", LEAD: "lead", NONE: "none"}
NEWEST = 500  # changes that are listed
_DID = {"insert": "added", "update": "changed", "delete": "removed"}
_OBJECTS = {
    "question_roles": "splits",
    "carried_versions": "carried-over versions",
    "packs": "packages",
    "set_graders": "set access",
}


def members(store: Store) -> list[dict[str, Any]]:
    """Return every member: role, sign-in and link in UTC (None without), sets open to them."""
    since, until = sessions.since(store), sessions.links_until(store)
    return [
        {
            "name": one.name,
            "role": one.role,
            "signed_in_since": since.get(one.id),
            "link_open_until": until.get(one.id),
            "sets": [
                grading_sets.get(store, set_id).name
                for set_id in grading_sets.sets_of(store, one.grader_id)
            ],
        }
        for one in stored_members.every(store)
    ]


def member_table(found: Iterable[Mapping]) -> Table:
    """Return a row for each of `members`."""
    parts = (
        ("Member", "name"),
        ("Role", lambda one: ROLES[one["role"]]),
        ("Grading sets", lambda one: joined(", ", one["sets"])),
        ("Signed in since, UTC", lambda one: minute(one["signed_in_since"])),
        ("Link valid until, UTC", lambda one: minute(one["link_open_until"])),
    )
    return table_of("members", found, parts)


def changes(store: Store) -> Document:
    """Return the newest changes by leads; grades and replies are not among them."""
    parts = (
        ("When, UTC", lambda one: minute(one.at)),
        ("Who", "who"),
        ("Action", lambda one: _DID[one.what]),
        ("Object", lambda one: _OBJECTS.get(one.table, one.table.replace("_", " "))),
        (Column("Number", "count"), "row_id"),
    )
    found = stored_members.newest_changes(store, NEWEST)
    return Document(
        f"Audit log: the newest {NEWEST} changes" if found else "No changes yet.",
        tables=(table_of("changes", found, parts),) if found else (),
    )
