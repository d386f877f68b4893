"""Flips: the answers two variants score differently, and which of them annotators side with.

Scores are mapped to [0, 1]. A different score of another scale need be no different opinion, so a
flip is a difference of half a step of the coarser scale or more.
"""

import json
from difflib import unified_diff

import numpy as np
import pandas as pd

from concord.judges.prompting.request import messages
from concord.judges.prompting.request import settings as request_settings
from concord.messages import Numeral, Problem, counted, small
from concord.reports.agreement.confusion import AnswerGrades, answer_grades
from concord.reports.comparison.compare import scale_name, target_name
from concord.reports.disagreements.sent_prompt import requests_now, stored_requests, why_no_prompt
from concord.reports.document import Column, Document, Table
from concord.reports.panel.criterion_comparison import EACH, ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.panel.variants import Variant, mapped_scores
from concord.store.database import Store

_FLIP = "A flip is a difference of half a step of the coarser scale or more."
FIRST, SECOND, EQUAL, UNGRADED = "first", "second", "equal", "ungraded"
_EQUAL = 1e-9
SIDED = {
    FIRST: small("From"),
    SECOND: small("To"),
    EQUAL: "neither",
    UNGRADED: "not graded",
}
Pair = tuple[Variant, Variant]


def flips(
    pair: Pair, annotators: Panel, target: str, kind: str = EACH
) -> tuple[int, pd.DataFrame] | None:
    """Return how many answers two variants scored, and a row for each that flips, largest first.

    A row has the item's `id`, `question` and `answer_model`, the scores `first` and `second` on the
    variants' own scales and `annotator`, the annotators' mean on theirs; `difference` is the second
    minus the first on [0, 1], and `nearer` the variant whose score is nearer to the annotators'.
    Of equal differences those come first that annotators graded. None where one of the two does
    not grade the target.
    """
    if any(variant.why_not(target, annotators) for variant in pair):
        return None
    marks = [variant.marks(target, annotators) for variant in pair]
    scales = [variant.rubric.scale for variant in pair]
    mapped = [mapped_scores(m.score, scale) for m, scale in zip(marks, scales, strict=True)]
    both = marks[0].scored & marks[1].scored & annotators.open
    # The largest step of the coarser scale, mapped.
    step = max(np.diff(scale).max() / (scale[-1] - scale[0]) for scale in scales)
    hit = np.flatnonzero(both & (np.abs(mapped[1] - mapped[0]) >= step / 2 - _EQUAL))
    mean = ground(annotators, target, kind).annotators.means()
    distance = [np.abs(one - mapped_scores(mean, annotators.rubric.scale)) for one in mapped]
    apart = distance[0] - distance[1]
    cases = [np.isnan(mean), np.abs(apart) < _EQUAL, apart < 0]
    rows = annotators.items[["id", "question", "answer_model"]].assign(
        first=marks[0].score,
        second=marks[1].score,
        annotator=mean,
        difference=mapped[1] - mapped[0],
        nearer=np.select(cases, [UNGRADED, EQUAL, FIRST], SECOND),
    )
    rows = rows.iloc[hit]
    # Rounded, so that rounding errors of mapped scores do not decide between equal differences.
    largest = -rows["difference"].abs().round(9)
    order = np.lexsort([rows["id"], rows["nearer"] == UNGRADED, largest])
    return int(both.sum()), rows.iloc[order]


def document(pair: Pair, target: str, n: int, rows: pd.DataFrame) -> Document:
    """Return how many scores flip, and to which variant the annotators are nearer."""
    names = [named(one.label, one.judge.simulated) for one in pair]
    sides, count = SIDED | dict(zip((FIRST, SECOND), names, strict=True)), rows["nearer"]
    counts = tuple((name, int((count == side).sum())) for side, name in sides.items())
    columns = Column("annotators nearer"), Column("flips", "count")
    tables = (Table("nearer", columns, counts),) if len(rows) else ()
    headline = "The two have scored no answer in common"
    if n:
        verb = "flips" if len(rows) == 1 else "flip"
        headline = f"{len(rows):,} of {counted(n, 'answer')} {verb} on {target_name(target)}"
    return Document(headline, (f"From {names[0]} to {names[1]}. {_FLIP}",), tables)


def table(pair: Pair, rows: pd.DataFrame) -> Table:
    """Return a row for each flip, the largest first."""
    first, second = (scale_name(one.rubric.scale) for one in pair)
    heads = (f"from ({first})", f"to ({second})", "annotators", "annotators nearer")
    heads = (*heads, "difference", "question", "answer by")

    def score(value: float) -> Numeral | None:
        return None if np.isnan(value) else Numeral(f"{value:.3g}")

    lines = (
        (
            *(score(value) for value in (flip.first, flip.second, flip.annotator)),
            SIDED[flip.nearer],
            Numeral(f"{100 * flip.difference:+.0f}%"),
            flip.question + 1,
            flip.answer_model,
        )
        for flip in rows.itertuples()
    )
    return Table("flips", tuple(map(Column, heads)), tuple(lines))


def both_answer_grades(
    store: Store, pair: Pair, annotators: Panel, item_ids: list[int]
) -> list[AnswerGrades]:
    """Answers with what the two variants and the annotators said of them."""
    graded = answer_grades(store, annotators, pair[0].judge.id, item_ids)
    given = [
        [
            [
                grade._replace(grader=f"{variant.label}, {scale_name(variant.rubric.scale)}")
                for grade in one.judge
            ]
            for one in answer_grades(store, variant.panel, variant.judge.id, item_ids)
        ]
        for variant in pair
    ]
    return [
        one._replace(judge=first + second)
        for one, first, second in zip(graded, *given, strict=True)
    ]


def sent(store: Store, variant: Variant, item_id: int) -> str:
    """Return the requests about an answer: the messages under their roles, then the settings.

    As stored where the judge was asked, else as a run would send them now; a Problem where there
    are none.
    """
    if why := why_no_prompt(variant.judge):
        raise Problem("{judge}: {why}.", judge=variant.label, why=why)
    bodies = stored_requests(store, item_id, variant.judge.id) or requests_now(
        store, variant.asked, variant.rubric, variant.panel.sheet, item_id
    )
    texts, settings = [], {"calls per answer": len(bodies)}
    for part, body in bodies.items():
        about = f" (call for {part})" if part and len(bodies) > 1 else ""
        texts += [f"[{m['role']}{about}]\n{m['content']}" for m in messages(body)]
        settings |= request_settings(body)
    return "\n\n".join([*texts, json.dumps(settings, indent=2, sort_keys=True, ensure_ascii=False)])


def request_diff(first: str, second: str) -> str:
    """The second request against the first as a unified diff; '' where equal."""
    sides = (first.splitlines(), second.splitlines())
    return "\n".join(unified_diff(*sides, SIDED[FIRST], SIDED[SECOND], n=2, lineterm=""))
