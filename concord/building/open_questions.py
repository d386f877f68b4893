"""Open questions: those of a file, kept for a sheet that is being built, for models to answer."""

import json
from collections.abc import Sequence

from concord.building.question_source import of_drafts
from concord.building.question_source import of_sheet as of_imported
from concord.clock import now
from concord.messages import Problem
from concord.model import Context, Question
from concord.store import sheets
from concord.store.database import Store


def add(store: Store, sheet_name: str, questions: Sequence[Question], source_name: str) -> int:
    """Keep questions for a sheet; returns how many are new.

    Raises:
        Problem: the sheet holds another question under the same id; nothing is kept then.
    """
    known = {question.key: question for question in of_sheet(store, sheet_name)}
    for question in questions:
        before = known.get(question.key, question)
        if before._replace(relevant_ids=question.relevant_ids) != question:
            raise Problem(
                "“{sheet_name}” holds “{question}” with other texts. Name another sheet for these "
                "questions.",
                sheet_name=sheet_name,
                question=question.own_id or question.text,
            )
    fresh = [question for question in questions if question.key not in known]
    columns = ("sheet_name", "key", "body", "source_name", "added_at")
    with store.write():
        store.insert_many(
            "open_questions",
            columns,
            [(sheet_name, q.key, _body(q), source_name, now()) for q in fresh],
        )
    return len(fresh)


def waiting(store: Store, sheet_name: str) -> list[Question]:
    """Return all questions for models to answer: approved drafts and stored questions."""
    return [*of_drafts(store, sheet_name), *of_sheet(store, sheet_name)]


def answerable_questions(store: Store, sheet_name: str) -> list[Question]:
    """Return the questions models can answer for a sheet, being built or imported.

    Raises:
        Problem: the answers of an imported sheet to one question have different contexts.
    """
    sheet = sheets.find(store, sheet_name)
    if sheet and sheet_name not in sheets.being_built(store):
        return of_imported(store, sheet)
    return waiting(store, sheet_name)


def of_sheet(store: Store, sheet_name: str) -> list[Question]:
    """Return the questions stored for a sheet, in import order."""
    rows = store.rows(
        "select body from open_questions where sheet_name = ? order by id", (sheet_name,)
    )
    return [_question(json.loads(row["body"])) for row in rows]


def _body(question: Question) -> str:
    return json.dumps(question._asdict(), ensure_ascii=False)


def _question(body: dict) -> Question:
    listed = {key: tuple(body[key]) for key in ("reference", "reference_contexts")}
    contexts = tuple(Context(*context) for context in body["contexts"])
    relevant = body["relevant_ids"]
    fields = {"contexts": contexts, "relevant_ids": relevant if relevant is None else (*relevant,)}
    return Question(**{**body, **listed, **fields})
