"""Before and after: what changed from one variant to another, and which answers became right.

Scores are mapped to [0, 1]. A different score of another scale need be no different opinion, so a
flip is a difference of half a step of the coarser scale or more.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from difflib import unified_diff

import numpy as np
import pandas as pd

from concord.judges.prompting.request import messages
from concord.judges.prompting.request import settings as request_settings
from concord.messages import Problem
from concord.model import Sheet
from concord.reports.agreement.document import AnswerGrades, answer_grades
from concord.reports.cells import written
from concord.reports.comparison.compare import EXACT, FIGURES, first_target, report, scale_name
from concord.reports.decision.cost import costs
from concord.reports.disagreements.disagreements import requests_now, stored_requests, why_no_prompt
from concord.reports.document import Column, Document, Table
from concord.reports.panel import variants
from concord.reports.panel.criterion_comparison import EACH, ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.variants import Variant, mapped_scores
from concord.reports.panel.wording import named
from concord.store.database import Store

_EQUAL = 1e-9
RIGHT, WRONG, NEARER, FARTHER = "became right", "became wrong", "nearer", "farther"
EQUAL, UNGRADED = "as far", "not graded"
CHANGES = (WRONG, RIGHT, FARTHER, NEARER, EQUAL, UNGRADED)
# So many versions of a judge tuned on the same questions, and the gain on these is no proof.
TUNED = 5
Pair = tuple[Variant, Variant]


def flips(
    pair: Pair, annotators: Panel, target: str, kind: str = EACH
) -> tuple[int, pd.DataFrame] | None:
    """Return how many answers two variants scored, and a row for each that changed.

    A row has the item's `id`, `question` and `answer_model`, the scores `first` and `second` on the
    variants' own scales and `annotator`, the annotators' mean on theirs; `difference` is the second
    minus the first on [0, 1], and `change` what became of the answer, in the order of `CHANGES`:
    right is the annotators' score itself. None where one of the two does not grade the target.
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
    before, after = (np.abs(one - mapped_scores(mean, annotators.rubric.scale)) for one in mapped)
    cases = {
        UNGRADED: np.isnan(mean),
        RIGHT: (after < _EQUAL) & (before >= _EQUAL),
        WRONG: (before < _EQUAL) & (after >= _EQUAL),
        EQUAL: np.abs(after - before) < _EQUAL,
        NEARER: after < before,
    }
    rows = annotators.items[["id", "question", "answer_model"]].assign(
        first=marks[0].score,
        second=marks[1].score,
        annotator=mean,
        difference=mapped[1] - mapped[0],
        change=np.select(list(cases.values()), list(cases), FARTHER),
    )
    rows = rows.iloc[hit]
    # Rounded, so that rounding errors of mapped scores do not decide between equal differences.
    largest = -rows["difference"].abs().round(9)
    order = np.lexsort([rows["id"], largest, rows["change"].map(CHANGES.index)])
    return int(both.sum()), rows.iloc[order]


def compare_two(
    store: Store,
    sheet: Sheet,
    names: Sequence[str],
    target: str | None = None,
    reference: str = EACH,
    rubric: str | None = None,
    annotators: Sequence[str] = (),
) -> tuple[dict, dict]:
    """Return the comparison of two named judges, the first its base, and what changed between."""
    every = variants.read(store, sheet)
    panel = every.annotators(rubric, annotators)
    pair = tuple(every.named(names))
    target = target or first_target(pair, panel)
    changed = flips(pair, panel, target, reference)
    if changed is None:
        raise Problem("These judges do not both grade {target}.", target=target)
    priced = costs(store, sheet, [variant.judge for variant in pair])
    compared = report(pair, panel, target, pair[0], reference, priced)
    found = before_and_after(compared, changed, versions(every.every, pair[1]))
    _, rows = changed
    return compared, found | {"answers_changed": rows.to_dict("records")}


def versions(every: Iterable[Variant], variant: Variant) -> int:
    """Return how many versions of a judge have scored answers of the sheet, itself among them."""
    if variant.asked is None:
        return 1
    first = variant.asked.first_version()
    return sum(one.asked is not None and one.asked.first_version() == first for one in every)


def before_and_after(compared: Mapping, changed: tuple[int, pd.DataFrame], tried: int) -> dict:
    """Return what changed from the base of a comparison of two to the other, as JSON.

    Args:
        compared: The comparison of the two (`compare.report`), the first its base.
        changed: Their flips.
        tried: How many versions of the second there are.
    """
    first, second = sorted(compared["variants"], key=lambda row: row["variant"] != compared["base"])
    n, rows = changed
    return {
        "from": first,
        "to": second,
        "answers": compared["n"],
        "metric": second["paired"]["metric"],
        "difference": second["paired"]["difference"],
        "scored_by_both": n,
        "flips": len(rows),
        "changes": rows["change"].value_counts().to_dict(),
        "versions": tried,
        "is_honest": tried <= TUNED,
    }


def document(found: Mapping) -> Document:
    """Return whether the second agrees more with annotators, and how many answers changed."""
    if not found["answers"]:
        return Document("The two have scored no answer in common that annotators graded")
    rows, apart, count = (found["from"], found["to"]), found["difference"], found["changes"]
    names = [named(row["variant"], row["simulated"]) for row in rows]
    code = "unsure"
    if not found["is_honest"]:
        code = "tuned"
    elif (apart.low or 0) > 0 or (apart.high or 0) < 0:
        code = "more" if apart.value > 0 else "less"
    words = {
        "one": names[0],
        "other": names[1],
        "apart": written(apart, "points"),
        "metric": "exact" if found["metric"] == EXACT else "nearer",
        "right": count.get(RIGHT, 0),
        "wrong": count.get(WRONG, 0),
    }
    facts = [_CHANGED.format(**found | words)]
    if not found["is_honest"]:
        facts.append("Prove it on fresh or held-out questions.")
    heads = {key: (title, kind) for part in FIGURES.values() for key, title, kind in part}
    shown = ("exact", "mae", "qwk", "failure_recall", "per_1000")
    columns = (Column("judge"), *(Column(*heads[key]) for key in shown))
    figures = [{**row, **row["own"], "per_1000": row["cost"].per_1000} for row in rows]
    lines = tuple((name, *map(row.get, shown)) for name, row in zip(names, figures, strict=True))
    headline = _HEADLINES[code].format(**found | words)
    return Document(headline, tuple(facts), (Table("judges", columns, lines),))


_HEADLINES = {
    "tuned": "{versions} versions were tuned on these questions: no gain is proof",
    "more": "{other} agrees more with annotators than {one}",
    "less": "{other} agrees less with annotators than {one}",
    "unsure": "Cannot tell yet whether {other} is better than {one}",
}
_CHANGED = (
    "{apart} points of {metric} agreement: {right:,} answers became right, {wrong:,} wrong; "
    "{flips:,} of {scored_by_both:,} changed."
)


def table(pair: Pair, rows: pd.DataFrame) -> Table:
    """Return a row for each flip, the largest first."""
    first, second = (scale_name(one.rubric.scale) for one in pair)
    heads = ("change", f"from ({first})", f"to ({second})", "annotators")
    heads = (*heads, "difference", "question", "answer by")

    def score(value: float) -> str | None:
        return None if np.isnan(value) else f"{value:.3g}"

    lines = (
        (
            flip.change,
            *(score(value) for value in (flip.first, flip.second, flip.annotator)),
            f"{100 * flip.difference:+.0f}%",
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
        about = f": {part}" if part and len(bodies) > 1 else ""
        texts += [f"[{m['role']}{about}]\n{m['content']}" for m in messages(body)]
        settings |= request_settings(body)
    return "\n\n".join([*texts, json.dumps(settings, indent=2, sort_keys=True, ensure_ascii=False)])


def request_diff(first: str, second: str) -> str:
    """The second request against the first as a unified diff; '' where equal."""
    sides = (first.splitlines(), second.splitlines())
    return "\n".join(unified_diff(*sides, "From", "To", n=2, lineterm=""))
