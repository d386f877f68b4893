"""Items as annotators see them: what the rubric shows, never the answering model or metadata."""

import json
from collections.abc import Collection
from typing import NamedTuple

from concord.messages import N_, said
from concord.model import conversation
from concord.rubrics.model import Rubric
from concord.store.database import Row, Store, marks

NO_ACCESS = N_(
    "This grading set no longer exists, or you no longer have access to it. Ask the person who "
    "sent you the link."
)


class DisplayedItem(NamedTuple):
    """The displayed parts of an item; empty where the rubric does not show them."""

    question: str
    contexts: list[str]
    answer: str
    reference: list[str]
    reference_contexts: list[str]
    date: str
    turns: str

    def sources(self) -> list[tuple[str, str]]:
        """Return what is shown besides a question and a whole answer, under its titles."""
        found = [(said("Earlier turns"), self.turns)]
        found += [(said("Context {n}", n=n), text) for n, text in enumerate(self.contexts, 1)]
        found += [(said("Reference answer"), text) for text in self.reference]
        return [(title, text) for title, text in found if text]


def shown(
    store: Store, item_ids: list[int], rubric: Rubric, also: Collection[str] = ()
) -> dict[int, DisplayedItem]:
    """Return the parts the rubric shows of some items, by item id; deleted items are left out.

    Whole answers are always shown; for a rubric of units `also` names the source of its units.
    """
    rows = store.rows(
        f"""select i.id, q.text as question, i.contexts, i.answer, i.reference,
        i.reference_contexts,
        i.turns, json_extract(i.metadata, '$.judge_date') as date from items i
        join questions q on q.id = i.question_id where i.id in ({marks(item_ids)})""",
        item_ids,
    )
    parts = {*rubric.shown, *also, *(() if rubric.units else ("answer",))}
    parts |= {"contexts"} if "chunk" in parts else set()
    return {row["id"]: _shown(row, parts, bool(rubric.units)) for row in rows}


def _shown(row: Row, parts: set[str], dated: bool) -> DisplayedItem:
    contexts = json.loads(row["contexts"]) if "contexts" in parts else []
    if dated:
        contexts = sorted(contexts, key=lambda context: context["rank"])
    else:  # what is known by its id alone is nothing to read
        contexts = [context for context in contexts if context["text"].strip()]
    documents = json.loads(row["reference_contexts"]) if "reference_contexts" in parts else []
    return DisplayedItem(
        question=row["question"] if "question" in parts else "",
        contexts=[context["text"] for context in contexts],
        answer=row["answer"] if "answer" in parts else "",
        reference=json.loads(row["reference"]) if "reference" in parts else [],
        reference_contexts=documents,
        date=str(row["date"] or "") if dated else "",
        turns=conversation(json.loads(row["turns"] or "[]")) if "turns" in parts else "",
    )
