"""The work list of disagreements: the command `disagreements`."""

from collections.abc import Mapping
from dataclasses import dataclass

from concord.grading.adjudication import disagreement_causes
from concord.messages import joined, said
from concord.problems import Problem
from concord.reports.disagreements import disagreement, disagreements, findings
from concord.reports.disagreements.disagreement import DisagreementRow
from concord.reports.disagreements.disagreements import Wanted
from concord.reports.document import Column, Document, table_of
from concord.reports.panel.named_judge import judge_of
from concord.reports.panel.panel import Panel
from concord.reports.panel.unit_words import heading
from concord.rubrics.model import Rubric
from concord.store import graders, items
from concord.store.answer_names import short
from concord.store.database import Store

_SHORT = 48  # of a question in a column, in characters
NOTHING = "This list contains no disagreements."
NOT_COMPARED = "Nothing was compared: no answer has both a judge's and an annotator's score."


def wanted(store: Store, panel: Panel, options: Mapping) -> Wanted:
    """Return the filters; raise a Problem that lists the known names where one is unknown."""
    if options["criterion"]:
        panel.rubric.criterion(options["criterion"])
    model = options["model"]
    if model and model not in panel.answer_models:
        known = ", ".join(panel.answer_models) or "none that the sheet names"
        raise Problem(f"There is no answering model “{model}”. Available: {known}.")
    return Wanted(
        options["criterion"] or None,
        judge_of(store, panel, options["judge"]).id if options["judge"] else None,
        _cell(panel, options["cell"]) if options["cell"] else None,
        model or None,
        options["size"],
        options["cause"],
    )


@dataclass(frozen=True)
class WorkList:
    """The disagreements that filters let through.

    Attributes:
        total: How many there are; `disagreements` has the first.
        compared: How many grades of a judge were compared with annotators' grades.
        left_out: What cannot be in the list, in words.
        causes: How many are tagged with each cause.
        sentence: How many are tagged, and what most of the tags mean.
    """

    sheet: str
    rubric: str
    total: int
    compared: int
    left_out: str
    causes: Mapping[str, int]
    sentence: str
    disagreements: tuple[DisagreementRow, ...]
    synthetic: int


def work_list(
    store: Store, panel: Panel, filters: Wanted, limit: int, by: str | None = None
) -> WorkList:
    """Return the list, after recording who now sees it."""
    tags = disagreement.tags_of(store, panel)
    every = disagreements.every(panel, filters._replace(cause=None))
    counts = disagreements.counts(panel, every, tags)
    rows = disagreements.with_cause(
        panel, every, tags, filters.cause, disagreement_causes.newest(store)
    )
    listed = rows.iloc[:limit]
    looker = graders.ensure_annotator(store, by).id if by else None
    disagreement_causes.opened(
        store, {key.item_id for key in disagreements.keys(panel, listed)}, looker
    )
    words = (findings.sentence(counts, len(every)), findings.meaning(counts))
    left_out = findings.left_out(panel, filters), panel.continuous_note(filters.judge)
    return WorkList(
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        total=len(rows),
        compared=disagreements.compared(panel, filters),
        left_out=joined(" ", filter(None, left_out)),
        causes=dict(counts),
        sentence=" ".join(filter(None, words)),
        disagreements=disagreement.in_full(store, panel, listed, tags),
        synthetic=panel.sheet.synthetic,
    )


def document(found: WorkList, rubric: Rubric) -> Document:
    """Return what is shown of the list; criteria by their titles."""
    if not found.disagreements:
        notes = (found.left_out,) if found.left_out else ()
        return Document(NOTHING if found.compared else NOT_COMPARED, notes=notes)
    parts = (
        (Column("item"), lambda one: one.item),
        (Column("criterion"), lambda one: heading(rubric, one.criterion)),
        (Column("judge"), lambda one: one.judge),
        (Column("annotator"), lambda one: one.annotator_score),
        (Column("judge's"), lambda one: one.judge_score),
        (Column("given by"), lambda one: one.annotators),
        (Column("cause"), lambda one: disagreement_causes.CAUSES.get(one.cause, "")),
        (Column("question"), lambda one: short(one.question_text, _SHORT)),
    )
    left = found.total - len(found.disagreements)
    more = said("{n:,} more, not shown; --limit shows more.", n=left) if left else ""
    table = table_of("disagreements", found.disagreements, parts)
    return Document(found.sentence, (), (table,), (more, found.left_out))


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
    who = graders.ensure_annotator(store, by)
    disagreement.tag(store, panel, keys[0], "" if cause == "none" else cause, who.id, note)


def _not_one(panel: Panel, item: str, keys: list) -> str:
    if not keys:
        return f"The list has no disagreement on an item “{item}”. Its first column names them."
    listed = "; ".join(
        f"--judge {panel.labels[key.judge]} --criterion {key.criterion} --cell "
        f"{key.person}:{key.said}"
        for key in keys
    )
    return f"There are {len(keys)} disagreements on “{item}”. Say which: {listed}."


def _cell(panel: Panel, said: str) -> tuple[int, int]:
    scale = panel.rubric.scale
    try:
        person, judge = map(int, said.split(":"))
    except ValueError:
        person = judge = None
    if person not in scale or judge not in scale or person == judge:
        raise Problem(
            f"“{said}” names no error cell. Write the annotator's score, a colon and the judge's, "
            f"two different ones of {', '.join(map(str, scale))}, as in {scale[0]}:{scale[-1]}."
        )
    return person, judge
