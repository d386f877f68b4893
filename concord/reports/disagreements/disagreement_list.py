"""The list of disagreements: the command `disagreements`."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from concord.grading.disagreement_causes import CAUSES, newest
from concord.messages import Problem, counted, joined, said
from concord.reports.disagreements import disagreements
from concord.reports.disagreements.disagreements import (
    TAGGED,
    UNTAGGED,
    DisagreementFilter,
    Key,
)
from concord.reports.document import Document
from concord.reports.panel.candidates import judge_of
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.panel.unit_words import heading
from concord.reports.work_list import Choice, Filter, WorkList, seen_by
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.text.display import one_line


def sentence(found: Counter, total: int) -> str:
    """Return how many are tagged and with what, and from five tags on what most of them mean.

    Working worst first does not tag a random sample, so no share of the total is claimed.
    """
    tagged = found.total()
    if not total:
        return NOTHING
    if not tagged:
        return said("{total}, none tagged yet.", total=counted(total, "disagreement"))
    causes = joined(", ", (f"{n} {CAUSES[cause]}" for cause, n in found.most_common()))
    words = "{tagged} of {total:,} tagged: {causes}."
    told = said(words, tagged=tagged, total=total, causes=causes)
    (cause, count), *_ = found.most_common(1)
    remedy = _REMEDIES[cause] if tagged >= ENOUGH and 2 * count > tagged else ""
    return joined(" ", filter(None, [told, remedy]))


ENOUGH = 5
_REMEDIES = {
    "judge_wrong": "Mostly the judge: change its prompt or add examples from the few-shot pool.",
    "person_wrong": "Mostly annotators: let them regrade these answers.",
    "rubric_unclear": "Mostly the rubric: reword the criterion before you change the judge.",
    "bad_question": "Mostly faulty questions or contexts: correct the sheet.",
    "both_defensible": "Mostly both defensible: the criterion is ambiguous.",
}


_SHORT = 48  # of a question in a column, in characters
NOTHING = "This list contains no disagreements."
NOT_COMPARED = "Nothing was compared: no answer has both a judge's and an annotator's score."


class Scope(NamedTuple):
    """Data of the filters: the panel and its error cells."""

    panel: Panel
    cells: Callable[[int | None, str | None], Iterable[tuple[int, int, int]]]


def _cells(scope: Scope, chosen: Mapping[str, Any]) -> Iterable[Choice]:
    for score, given, n in scope.cells(chosen["judge"], chosen["criterion"]):
        words = f"annotator {score}, judge {given} ({n:,})"
        yield Choice(f"{score}:{given}", words, (score, given))


def _sizes(scope: Scope, _) -> Iterable[Choice]:
    """Yield every distance of two scores from 2 on."""
    scale = scope.panel.rubric.scale
    for size in sorted({b - a for a in scale for b in scale if b - a > 1}):
        yield Choice(str(size), f"{size} or more", size)


def _causes(*_) -> Iterable[Choice]:
    causes = {UNTAGGED: "Not tagged yet", TAGGED: "Tagged", **CAUSES}
    return (Choice(cause, words, cause) for cause, words in causes.items())


def _cell(store: Store, panel: Panel, text: str) -> tuple[int, int]:
    scale = panel.rubric.scale
    person, _, judge = text.partition(":")
    found = [score for part in (person, judge) for score in scale if str(score) == part]
    if len(set(found)) != 2:
        raise Problem(
            "“{text}” names no error cell. Write two different scores, as {lowest}:{highest}.",
            text=text,
            lowest=scale[0],
            highest=scale[-1],
        )
    return found[0], found[1]


def _model(store: Store, panel: Panel, name: str) -> str:
    if name not in panel.answer_models:
        known = joined(", ", panel.answer_models) or "none"
        raise Problem("No answering model “{name}”. Available: {known}.", name=name, known=known)
    return name


LIST: WorkList[Key] = WorkList(
    "disagreements",
    "entry",
    key=Key.text,
    columns=(
        ("item", lambda one: one["item"]),
        ("criterion", lambda one: one["criterion"]),
        ("judge", lambda one: one["judge"]),
        ("annotator", lambda one: one["annotator_score"]),
        ("judge's", lambda one: one["judge_score"]),
        ("given by", lambda one: one["annotators"]),
        ("cause", lambda one: CAUSES.get(one["cause"], "")),
        ("question", lambda one: one_line(one["question_text"], _SHORT)),
    ),
    filters=(
        Filter(
            "judge",
            "Judge",
            "All judges",
            lambda scope, _: (
                Choice(label, named(label, scope.panel.judges[judge].simulated), judge)
                for judge, label in scope.panel.labels.items()
            ),
            lambda store, panel, name: judge_of(store, panel, name).id,
        ),
        Filter(
            "criterion",
            "Criterion",
            "All criteria",
            lambda scope, _: (
                Choice(name, words, name) for name, words in scope.panel.rubric.headings().items()
            ),
            lambda store, panel, name: panel.rubric.criterion(name).name,
        ),
        Filter("cell", "Scores", "Any", _cells, _cell),
        Filter("size", "Points apart", "Any", _sizes),
        Filter(
            "answer_model",
            "Answering model",
            "All models",
            lambda scope, _: (Choice(*[one] * 3) for one in scope.panel.answer_models),
            _model,
        ),
        Filter("cause", "Cause", "Any", _causes),
    ),
)


def wanted(store: Store, panel: Panel, options: Mapping[str, Any]) -> DisagreementFilter:
    """Return the filters; raise a Problem that lists the known names where one is unknown."""
    given = [one for one in LIST.filters if options.get(one.name)]
    return DisagreementFilter(
        **{one.name: one.read(store, panel, options[one.name]) for one in given}
    )


def disagreement_list(
    store: Store, panel: Panel, filters: DisagreementFilter, limit: int, by: str | None = None
) -> dict[str, Any]:
    """Return the list, after recording who now sees it.

    `total` is how many there are; `disagreements` has the first. `compared` is false where no
    answer has scores of both sides; `causes` counts the tags.
    """
    tags = disagreements.tags_of(store, panel)
    every = disagreements.every(panel, filters._replace(cause=None))
    counts = disagreements.counts(panel, every, tags)
    rows = disagreements.with_cause(panel, every, tags, filters.cause, newest(store))
    listed = rows.iloc[:limit]
    seen_by(store, by, {key.item_id for key in disagreements.keys(panel, listed)})
    return {
        "sheet": panel.sheet.name,
        "rubric": panel.rubric.name,
        "total": len(rows),
        "compared": not disagreements.why_not_compared(panel, filters),
        "left_out": panel.continuous_note(filters.judge) or "",
        "causes": dict(counts),
        "sentence": sentence(counts, len(every)),
        "disagreements": disagreements.in_full(store, panel, listed, tags),
        "synthetic": panel.sheet.synthetic,
    }


def document(found: Mapping[str, Any], rubric: Rubric) -> Document:
    """Return what is shown of the list; criteria by their titles."""
    if not found["disagreements"]:
        notes = (found["left_out"],) if found["left_out"] else ()
        return Document(NOTHING if found["compared"] else NOT_COMPARED, notes=notes)
    rows = [
        one | {"criterion": heading(rubric, one["criterion"])} for one in found["disagreements"]
    ]
    return LIST.document(rows, found["sentence"], found["total"], (found["left_out"],))
