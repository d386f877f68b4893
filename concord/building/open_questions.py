"""Questions for models to answer: of drafts, of a sheet, or of a file, kept for a sheet."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from concord.building import drafts
from concord.clock import now
from concord.importing.columns import column_map, opened, resolved
from concord.importing.item_rows import ItemRows
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import Table
from concord.messages import Problem, said
from concord.model import DRAFTED, Context, Item, Question, Sheet
from concord.store import items, sheets
from concord.store.database import Store


def of_drafts(store: Store, sheet_name: str) -> list[Question]:
    """Return the approved drafts for a sheet, with the document as only context and as cluster.

    The document is also the relevant one, for evaluating retrieval done elsewhere.
    """
    approved = drafts.of_sheet(store, sheet_name, drafts.APPROVED)
    texts = {id_: drafts.document(store, id_).text for id_ in {d.document_id for d in approved}}
    return [
        Question(
            own_id=f"{DRAFTED}{draft.id}",
            cluster=draft.document,
            text=draft.words.question,
            contexts=(Context("", draft.document, texts[draft.document_id], 1),),
            reference=(draft.words.reference,),
            reference_contexts=(draft.words.quote,),
            synthetic=True,
            relevant_ids=(draft.document,),
        )
        for draft in approved
    ]


def of_imported(store: Store, sheet: Sheet) -> list[Question]:
    """Return the questions of a sheet, each with the contexts of its first answer.

    A Problem where the answers to a question were written from different contexts: the contexts for
    another model are then ambiguous.
    """
    found: dict[str, Question] = {}
    for stored in items.items(store, items.item_ids(store, sheet.id)):
        question = _of_item(stored.item, stored.item.question_id)
        first = found.setdefault(question.key, question)
        if [c.text for c in first.contexts] != [c.text for c in question.contexts]:
            raise Problem(
                "In “{sheet}” the answers to “{question}” have different contexts. Give a file of "
                "questions with the contexts they are to be answered from.",
                sheet=sheet.name,
                question=question.text,
            )
    return list(found.values())


def of_file(
    path: str | Path,
    mapped: Iterable[str] = (),
    encoding: str | None = None,
    worksheet: str | None = None,
) -> list[Question]:
    """Read the questions of a file in any format that `import` reads; answers are not needed.

    A repeated question is returned once; a Problem names the first invalid row.
    """
    return of_table(open_table(path, encoding=encoding, worksheet=worksheet), path, mapped)


def of_table(table: Table, path: str | Path, mapped: Iterable[str] = ()) -> list[Question]:
    """Return the questions of an open table; `path` names it in messages."""
    columns = resolved(column_map(table.columns, mapped), ("question",))
    table = opened(table, columns)
    rows, found = ItemRows(table.columns, columns), {}
    for record in table.records():
        if not record.fault and all(map(of_cell.is_blank, record.cells)):
            continue
        if record.fault:
            raise _bad(path, record.row, record.fault)
        try:
            item = rows.read(record)[0][0]
        except BadCell as fault:
            what = said("column “{column}”: {fault}", column=fault.column, fault=str(fault))
            raise _bad(path, record.row, what) from None
        # In a file without answers, an id is that of the question.
        own_id = item.question_id or (None if "answer" in columns.fields else item.own_id)
        question = _of_item(item, own_id)
        if found.setdefault(question.key, question) != question:
            what = said("the question is in an earlier row with other texts.")
            raise _bad(path, record.row, what)
    if not found:
        raise Problem("{path} holds no question. Give a file with one question per row.", path=path)
    return list(found.values())


def _of_item(item: Item, own_id: str | None) -> Question:
    return Question(
        own_id,
        item.cluster,
        item.question,
        item.contexts,
        item.reference,
        item.reference_contexts,
        item.synthetic,
        item.relevant_ids if "relevant_ids" in item.metadata else None,
    )


def _bad(path: str | Path, row: int, fault: str) -> Problem:
    return Problem(
        "{path}, row {row}: {fault} Correct it, then repeat the command.",
        path=path,
        row=row,
        fault=fault,
    )


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
            [
                (sheet_name, q.key, json.dumps(q._asdict(), ensure_ascii=False), source_name, now())
                for q in fresh
            ],
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


def _question(body: dict) -> Question:
    listed = {key: tuple(body[key]) for key in ("reference", "reference_contexts")}
    contexts = tuple(Context(*context) for context in body["contexts"])
    relevant = body["relevant_ids"]
    fields = {"contexts": contexts, "relevant_ids": relevant if relevant is None else (*relevant,)}
    return Question(**{**body, **listed, **fields})
