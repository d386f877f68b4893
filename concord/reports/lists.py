"""Lists: sheets, rubrics, judges, graders and questions as plain tables for a terminal."""

from collections.abc import Iterable, Mapping

from concord.importing.left_out import LeftOut
from concord.judges.definition.model import Judge
from concord.judges.definition.providers import Known
from concord.model import Sheet
from concord.reports.cells import written
from concord.reports.terminal import table
from concord.rubrics.model import Rubric
from concord.store.answer_names import short
from concord.store.answer_search import Found
from concord.store.imports import SHEET, Import


def sheets(found: list[Sheet]) -> str:
    """Return every sheet with its size; the next step without any."""
    if not found:
        return (
            "There is no sheet yet. Import one with `import FILE`, or load the sample with `demo`."
        )
    heads = ("sheet", "answers", "synthetic", "questions", "answering models", "from")
    return table(
        heads,
        (
            (s.name, s.items, s.synthetic, s.questions, len(s.answer_models), s.source_name)
            for s in found
        ),
    )


def imports(found: list[Import]) -> str:
    """Return every import of a sheet, with the number that `--undo` takes."""
    if not found:
        return "The sheet came from no file."
    heads = ("import", "file", "kind", "answers", "grades", "imported", "undone")
    return table(
        heads,
        (
            (
                one.number,
                one.file,
                "answers" if one.kind == SHEET else "grades",
                one.answers,
                one.grades,
                one.imported_at[:16].replace("T", " "),
                (one.undone_at or "")[:16].replace("T", " "),
            )
            for one in found
        ),
    )


def left_out(left: LeftOut) -> str:
    """Return what importing the rest of a file leaves out, group by group; '' for nothing."""
    return "\n\n".join(
        table(
            (heading, "taken", "left out", "share left out"),
            (
                (group.name or "unknown", group.taken, group.left_out, f"{group.share:.0%}")
                for group in groups
            ),
        )
        for heading, groups in left.tables()
    )


def answers(found: Found) -> str:
    """Return a page of answers with the number of all that were found."""
    if not found.answers:
        return f"None of the {found.total:,} answers found is here." if found.total else NO_ANSWER
    rows = table(
        ("answer", "question", "model", "characters", "text"),
        (
            (
                one.own_id or str(one.id),
                short(one.question, 40),
                one.answer_model,
                one.length,
                short(one.answer, 60),
            )
            for one in found.answers
        ),
    )
    return f"{rows}\n\n{len(found.answers):,} of {found.total:,} answers found."


def rubrics(found: list[Rubric]) -> str:
    """Return every rubric with its scale and criteria."""
    heads = ("rubric", "scale", "criteria", "title")
    return table(
        heads,
        (
            (
                rubric.name,
                f"{rubric.scale[0]}-{rubric.scale[-1]}",
                ", ".join(criterion.name for criterion in rubric.criteria),
                rubric.title,
            )
            for rubric in found
        ),
    )


def judges(shipped: Iterable[Judge], used: Iterable[Mapping]) -> str:
    """The judges that ship, and below them those that have graded."""
    presets = table(
        ("judge", "model", "prompt", "rubric"),
        (
            (
                judge.name,
                f"{judge.model or ''}{' (retired)' if judge.retired else ''}",
                "" if judge.kind in ("baseline", "metric") else judge.recipe(),
                "metrics" if judge.kind == "metric" else judge.rubric or "",
            )
            for judge in shipped
        ),
    )
    graded = graders(used)
    return f"{presets}\n\nHave graded:\n{graded}" if graded != NOBODY else presets


def endpoints(found: Iterable[Known]) -> str:
    """The servers whose quirks are known; `judges --endpoint NAME` begins a judge file for one."""
    return table(
        ("server", "", "address", "tried"),
        (
            (
                server.name,
                server.title,
                server.endpoint.base_url or server.endpoint.azure_endpoint,
                server.was_tried(),
            )
            for server in found
        ),
    )


NO_ANSWER = "No answer matches."
NOBODY = "No grades yet."


def graders(found: Iterable[Mapping]) -> str:
    """Everyone who graded, with counts; simulated ones are marked."""
    rows = [
        (
            f"{row['name']}@{row['fingerprint']}" if row["fingerprint"] else row["name"],
            f"{row['kind']}{_state(row)}",
            row["answers"],
            row["grades"],
            _price(row.get("stated_price")),
        )
        for row in found
    ]
    heads = ("grader", "kind", "answers", "grades", "price per 1,000 answers")
    if not any(row[-1] for row in rows):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    return table(heads, rows) if rows else NOBODY


def _state(row: Mapping) -> str:
    """Return what a grader is besides its kind, in brackets; '' for nothing."""
    if row["simulated"]:
        return " (simulated)"
    return " (pending)" if row.get("pending") else ""


def _price(stated: Mapping | None) -> str:
    """Return a price that was stated, with its day and who stated it; '' without one."""
    if not stated:
        return ""
    return f"{written(stated['per_1000'], 'usd')} (stated on {stated['on']} by {stated['by']})"


def splits(found: Iterable[Mapping]) -> str:
    """Return every question with its split; one without an id of its own by its number."""
    heads = ("question", "split", "answers", "text")
    return table(
        heads,
        (
            (row["own_id"] or str(row["id"]), row["split"], row["answers"], short(row["text"], 60))
            for row in found
        ),
    )
