"""Similar examples: graded answers that may become few-shot examples against a disagreement.

They come from questions of the few-shot pool alone. An evaluation question must not become one: the
judge would be scored on what its prompt shows, which corrects its errors there without making it
any better elsewhere.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.model import FEW_SHOT
from concord.reports.disagreements.disagreements import Disagreement
from concord.reports.panel.panel import Panel
from concord.sampling import splits
from concord.store import grades, items
from concord.store.database import Row, Store
from concord.store.items import Stored
from concord.store.rubrics import rubric_versions
from concord.text.tokens import terms

MOST = 3
_COMPARED = 2000
WHY_NOT = "Examples come only from the few-shot pool: judges are not scored on what they are shown."
NONE_KEPT = (
    "The few-shot pool is empty. Move some questions to it on the Splits screen, and have an "
    "annotator grade their answers."
)
NONE_GRADED = "No answer of the few-shot pool has an annotator's score of this criterion yet."


class Offered(NamedTuple):
    """One answer that may be shown to a judge.

    Attributes:
        score: An annotator's score of the criterion.
        likeness: How alike the texts are, from 0 to 1.
    """

    stored: Stored
    score: int
    who: str
    reason: str
    likeness: float


def offered(store: Store, panel: Panel, one: Disagreement, most: int = MOST) -> list[Offered]:
    """The graded answers from questions kept for examples that resemble a disagreement most.

    Those come first that an annotator gave the very score the judge missed; among them, those whose
    question and answer read most alike.
    """
    found = _graded(store, panel, one)
    if not found:
        return []
    alike = likeness(_text(one.stored), [_text(stored) for stored, _ in found])
    made = [
        Offered(stored, int(row["score"]), row["name"], row["reason"], float(like))
        for (stored, row), like in zip(found, alike, strict=True)
    ]
    return sorted(made, key=lambda o: (abs(o.score - one.key.person), -o.likeness))[:most]


def why_none(store: Store, panel: Panel) -> str:
    """Return why no example is offered, and what to do about it."""
    return NONE_GRADED if _of_pool(store, panel) else NONE_KEPT


def likeness(text: str, others: list[str]) -> np.ndarray:
    """Return the similarity of a text to each of the others: TF-IDF cosine, 0 to 1.

    Terms are words, and pairs of characters where a script puts no spaces between words.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    if not any(map(terms, [text, *others])):
        return np.zeros(len(others))
    weights = TfidfVectorizer(analyzer=terms, sublinear_tf=True).fit_transform([text, *others])
    return np.clip((weights[1:] @ weights[0].T).toarray()[:, 0], 0.0, 1.0)


def as_toml(given: Offered) -> str:
    """The answer as an example of its score, to paste below that level of a rubric."""
    item = given.stored.item
    why = given.reason or f"{given.who} gave it {given.score}."
    lines = {"question": item.question, "answer": item.answer, "why": why}
    body = "\n".join(
        f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in lines.items()
    )
    return f"[[criteria.levels.examples]]\n{body}\n"


def _graded(store: Store, panel: Panel, one: Disagreement) -> list[tuple[Stored, Row]]:
    """The answers kept for examples that an annotator scored, with that annotator's grade."""
    versions = rubric_versions.criteria(store, panel.rubric)
    wanted = [v for v, name in versions.items() if name == one.key.criterion]
    ids = [item_id for item_id in _of_pool(store, panel) if item_id != one.stored.id][:_COMPARED]
    annotators = {
        item_id: [
            row
            for row in grades.of_item(store, item_id, wanted)
            if row["grader_id"] in panel.persons
            and not panel.persons[row["grader_id"]].is_mean
            and row["status"] == "scored"
            and row["repeat"] == 1
        ]
        for item_id in ids
    }
    answers = items.items(store, [item_id for item_id, rows in annotators.items() if rows])
    return [(answer, _nearest(annotators[answer.id], one.key.person)) for answer in answers]


def _nearest(rows: Sequence[Row], score: int) -> Row:
    """The grade nearest to a score; the first of equals."""
    return min(rows, key=lambda row: abs(row["score"] - score))


def _of_pool(store: Store, panel: Panel) -> list[int]:
    """The answers to questions of the few-shot pool, in the order of the sheet."""
    shown = {
        row["id"] for row in splits.of_sheet(store, panel.sheet.id) if row["split"] == FEW_SHOT
    }
    rows = items.item_index(store, panel.sheet.id)
    return [row["id"] for row in rows if row["question_id"] in shown]


def _text(stored: Stored) -> str:
    return f"{stored.item.question}\n{stored.item.answer}"
