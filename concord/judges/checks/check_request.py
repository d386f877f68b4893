"""The request of a check: a small built-in item, and by what a judge grades it.

Nothing of a sheet leaves the machine but the graded examples of a judge that shows some.
"""

from collections.abc import Sequence
from typing import NamedTuple

from concord.judges.checks.endpoint_findings import SentRequest
from concord.judges.definition.model import Judge, Shot
from concord.judges.few_shot import gather
from concord.judges.prompting.prompt import parts
from concord.judges.prompting.request import PLACEHOLDER, request
from concord.model import Context, Item
from concord.rubrics.model import Rubric
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

# The check of a metric judge, which has no rubric of its own.
RUBRIC = "doc-qa-0-1"

ITEM = PLACEHOLDER._replace(
    own_id="check",
    question_id="check",
    question="Until when is the reading room open on Thursdays?",
    contexts=(
        Context(
            "", "", "The reading room opens at ten. It closes at six, on Thursdays at nine.", 1
        ),
    ),
    answer="On Thursdays the reading room closes at nine in the evening.",
    reference=("Until nine in the evening.",),
)


class Setup(NamedTuple):
    """A judge, the rubric it grades by, and the graded answers that it is shown."""

    judge: Judge
    rubric: Rubric
    shots: Sequence[Shot] = ()


def setup(store: Store, judge: Judge, rubric: str | None, sheet_name: str | None) -> Setup:
    """Return what a judge is checked with: the named rubric, else its own, else a small one.

    The sheet is needed only for a judge whose examples are graded items of a sheet.
    """
    _, graded_by = rubric_versions.argument(store, rubric or judge.rubric or RUBRIC)
    graded_by.check_meanings()
    plan, shots = judge.example_plan(), []
    if plan is not None and plan.source == "graded":
        shots = gather(store, judge, graded_by, sheets.chosen(store, sheet_name))
    return Setup(judge, graded_by, shots)


def prepare(judge: Judge, rubric: Rubric, shots: Sequence[Shot] = ()) -> SentRequest:
    """Return the one request that is sent: the first of those that the built-in item takes."""
    asked = parts(judge, rubric)
    part = next(iter(asked))
    return SentRequest(judge, rubric, part, request(judge, rubric, ITEM, part, shots), len(asked))


def item_of(asked: str, context: str, answer: str, reference: str) -> Item:
    """Return the built-in item with other texts; an empty context or reference is left out."""
    return ITEM._replace(
        question=asked,
        contexts=(Context("", "", context, 1),) if context else (),
        answer=answer,
        reference=(reference,) if reference else (),
        reference_contexts=(context,) if context else (),
    )
