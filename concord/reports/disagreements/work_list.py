"""The work list for a terminal and for scripts: the verb `disagreements`."""

from collections.abc import Mapping

from concord.grading import annotators
from concord.grading.adjudication import disagreement_causes
from concord.problems import Problem
from concord.reports.disagreements import disagreement, disagreements, findings
from concord.reports.disagreements.disagreements import Wanted
from concord.reports.panel.panel import Panel
from concord.reports.panel.panel_reading import judge_of
from concord.reports.panel.unit_words import heading
from concord.reports.terminal import table
from concord.rubrics.model import Rubric
from concord.store import graders, items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

NOTHING = "No disagreement is in this list."
NOT_COMPARED = "Nothing was compared: no answer has both a judge's and an annotator's score."


def wanted(store: Store, panel: Panel, said: Mapping) -> Wanted:
    """The filters as words; a Problem that lists what there is where a name is unknown."""
    if said["criterion"]:
        panel.rubric.criterion(said["criterion"])
    model = said["model"]
    if model and model not in panel.answer_models:
        known = ", ".join(panel.answer_models) or "none that the sheet names"
        raise Problem(f"There is no answering model “{model}”. There are: {known}.")
    return Wanted(
        said["criterion"] or None,
        judge_of(store, panel, said["judge"]).id if said["judge"] else None,
        _cell(panel, said["cell"]) if said["cell"] else None,
        model or None,
        said["size"],
        said["cause"],
    )


def document(
    store: Store, panel: Panel, filters: Wanted, limit: int, by: str | None = None
) -> dict:
    """The list and its counts, after noting who now sees it.

    Returns:
        `total`, how many disagreements the filters let through; `causes`, how many of them have
        each cause; `left_out` and `sentence` in words; `disagreements`, the first `limit` of
        them in full.
    """
    tags = _tags(store, panel)
    every = disagreements.every(panel, filters._replace(cause=None))
    counts = disagreements.counts(panel, every, tags)
    rows = disagreements.with_cause(
        panel, every, tags, filters.cause, disagreement_causes.newest(store)
    )
    shown = rows.iloc[:limit]
    looker = person(store, by).id if by else None
    disagreement_causes.opened(
        store, {key.item_id for key in disagreements.keys(panel, shown)}, looker
    )
    said = (findings.sentence(counts, len(every)), findings.meaning(counts))
    return {
        "sheet": panel.sheet.name,
        "rubric": panel.rubric.name,
        "total": len(rows),
        "compared": disagreements.compared(panel, filters),
        "left_out": findings.left_out(panel, filters),
        "causes": dict(counts),
        "sentence": " ".join(filter(None, said)),
        "disagreements": disagreement.as_rows(store, panel, shown, tags),
    }


def text(found: Mapping, rubric: Rubric) -> str:
    """The list as a table, and what its causes say; criteria by their titles."""
    rows = found["disagreements"]
    if not rows:
        return NOTHING if found["compared"] else NOT_COMPARED
    heads = ("item", "criterion", "judge", "annotator", "judge's", "given by", "cause", "question")
    listed = table(heads, [_line(row, rubric) for row in rows])
    left = found["total"] - len(rows)
    more = f"{left:,} more, not shown; --limit shows more." if left else ""
    return "\n\n".join(filter(None, (listed, more, found["sentence"], found["left_out"])))


def tag(
    store: Store, panel: Panel, filters: Wanted, item: str, cause: str, by: str, note: str
) -> None:
    """Tag the one disagreement on an item that the filters leave; a Problem where it is not one."""
    names = items.item_names(store, panel.sheet.id)
    rows = disagreements.every(panel, filters._replace(cause=None))
    ids = panel.items["id"].to_numpy()
    hits = [place for place, known in enumerate(ids) if names[int(known)][0] == item]
    keys = disagreements.keys(panel, rows[rows["item"].isin(hits)])
    if len(keys) != 1:
        raise Problem(_not_one(panel, item, keys))
    who = person(store, by)
    said = "" if cause == "none" else cause
    disagreement.tag(store, panel, keys[0], said, who.id, note)


def _not_one(panel: Panel, item: str, keys: list) -> str:
    if not keys:
        return f"The list has no disagreement on an item “{item}”. Its first column names them."
    listed = "; ".join(
        f"--judge {panel.labels[key.judge]} --criterion {key.criterion} --cell "
        f"{key.person}:{key.said}"
        for key in keys
    )
    return f"There are {len(keys)} disagreements on “{item}”. Say which: {listed}."


def _tags(store: Store, panel: Panel) -> dict:
    versions = rubric_versions.criteria(store, panel.rubric)
    return disagreements.held(disagreement_causes.of_sheet(store, panel.sheet.id, versions))


def _cell(panel: Panel, said: str) -> tuple[int, int]:
    scale = panel.rubric.scale
    try:
        person, judge = map(int, said.split(":"))
    except ValueError:
        person = judge = None
    if person not in scale or judge not in scale or person == judge:
        raise Problem(
            f"“{said}” names no error cell. Write the annotator's score, a colon and the judge's, "
            f"two "
            f"different ones of {', '.join(map(str, scale))}, as in {scale[0]}:{scale[-1]}."
        )
    return person, judge


def _line(row: Mapping, rubric: Rubric) -> tuple:
    question = " ".join(row["question_text"].split())
    return (
        row["item"],
        heading(rubric, row["criterion"]),
        row["judge"],
        row["annotator_score"],
        row["judge_score"],
        row["annotators"],
        disagreement_causes.CAUSES.get(row["cause"], ""),
        question if len(question) <= _SHORT else f"{question[: _SHORT - 1]}…",
    )


_SHORT = 48


def person(store: Store, name: str) -> graders.Grader:
    """The annotator of that name, made now where it is new."""
    found = annotators.person(store, name)
    return found or graders.get(store, graders.ensure(store, "person", name))
