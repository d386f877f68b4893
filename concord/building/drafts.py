"""Drafts: questions a model wrote about documents, and the reviewer's decision on each.

A draft is sent to answering models only after approval. Decisions are append-only and the last one
counts; a draft keeps the model's text.
"""

from collections.abc import Iterable
from typing import NamedTuple

from concord.clock import now
from concord.messages import Problem, joined, said
from concord.model import Document
from concord.store import sheets
from concord.store.database import Row, Store
from concord.text.normal_form import normalised
from concord.text.quotations import length, occurs

WAITING, APPROVED, REJECTED, FAULTY = "waiting", "approved", "rejected", "faulty"
STATES = (WAITING, APPROVED, REJECTED, FAULTY)
# Why a reply holds no drafts.
NO_LIST = "The reply holds no single list of drafts."
INCOMPLETE = "A draft lacks its quote, question or reference."
# A shorter quote could occur anywhere by chance.
LEAST_QUOTE = 12


class Words(NamedTuple):
    """A question, its expected answer, and the passage that supports it."""

    question: str
    reference: str
    quote: str

    def fault(self, text: str) -> str:
        """Return why this text cannot be a question about a document; '' where it can."""
        if not self.question.strip():
            return said("There is no question.")
        if not self.reference.strip():
            return said("There is no reference answer.")
        if length(self.quote) < LEAST_QUOTE:
            return said("The quote is too short to locate the answer.")
        return "" if occurs(self.quote, text) else said("The quote is not in the document.")


class Draft(NamedTuple):
    """The current state of a draft: `words` are the reviewer's after a decision, else the model's.

    `state` is `waiting`, `approved`, `rejected`, or `faulty` for a draft no reviewer saw; `why` is
    the reason for rejected and faulty.
    """

    id: int
    document_id: int
    document: str
    sheet_name: str
    model: str
    words: Words
    written: Words
    state: str
    why: str
    who: str

    @property
    def edited(self) -> bool:
        """True where the reviewer's text differs from the model's."""
        return self.words != self.written


_DRAFT = (
    "select d.id, d.document_id, o.name as document, o.sheet_name, d.model, d.question,"
    " d.reference,"
    " d.quote, d.fault, c.decision, c.question as own_question, c.reference as own_reference,"
    " c.quote as own_quote, c.why, c.who from drafts d join documents o on o.id = d.document_id"
    " left join draft_decisions c on c.id ="
    " (select max(id) from draft_decisions where draft_id = d.id)"
)


def add_documents(store: Store, sheet_name: str, documents: Iterable[Document]) -> int:
    """Keep documents for a sheet that is being built; returns how many are new."""
    with store.write():
        return sum(
            store.execute(
                "insert into documents (sheet_name, name, text, text_sha256, added_at)"
                " values (?, ?, ?, ?, ?) on conflict do nothing",
                (sheet_name, document.name, document.text, document.sha256, now()),
            )
            for document in documents
        )


def document_ids(store: Store, sheet_name: str) -> list[int]:
    """Return the documents of a sheet being built, in import order."""
    return store.column("select id from documents where sheet_name = ? order by id", (sheet_name,))


def document(store: Store, document_id: int) -> Document:
    """One document."""
    row = store.row("select name, text from documents where id = ?", (document_id,))
    if row is None:
        raise Problem("This document no longer exists. Read the folder again.")
    return Document(row["name"], row["text"])


def add(
    store: Store, document_id: int, asked_id: int, model: str, written: Iterable[Words]
) -> None:
    """Keep the drafts of one reply, each with its fault; those that are kept already stay.

    A question that was drafted from the document before is a fault: it would be asked twice.
    """
    text = document(store, document_id).text
    with store.write():
        for number, words in enumerate(written, 1):
            fault = words.fault(text) or _doubled(_met(store, document_id), words)
            store.execute(
                "insert into drafts (document_id, asked_id, number, model, question, reference,"
                " quote, fault, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " on conflict do nothing",
                (document_id, asked_id, number, model, *words, fault, now()),
            )


def drafted_replies(store: Store, sheet_name: str) -> set[tuple[int, int]]:
    """Return the replies (see `runs`) that became drafts for a sheet: (document, reply)."""
    rows = store.rows(
        "select distinct d.document_id, d.asked_id from drafts d join documents o"
        " on o.id = d.document_id where o.sheet_name = ?",
        (sheet_name,),
    )
    return set(map(tuple, rows))


def chosen(store: Store, sheet_name: str | None) -> str:
    """The sheet being built of that name, or the only one; a Problem that lists them otherwise."""
    names = sheets.being_built(store)
    if not names:
        raise Problem("No sheet is being built yet. Draft questions with `build` first.")
    wanted = sheet_name or (names[0] if len(names) == 1 else None)
    if wanted not in names:
        raise Problem("Name a sheet that is being built: {listed}.", listed=joined(", ", names))
    return wanted


def counts(store: Store, sheet_name: str) -> dict[str, int]:
    """Return the number of drafts in each state."""
    rows = store.rows(
        "select coalesce((select decision from draft_decisions where draft_id = d.id"
        " order by id desc limit 1), iif(d.fault = '', 'waiting', 'faulty')) as state,"
        " count(*) as n from drafts d join documents o on o.id = d.document_id"
        " where o.sheet_name = ? group by state",
        (sheet_name,),
    )
    return dict.fromkeys(STATES, 0) | dict(rows)


def of_sheet(store: Store, sheet_name: str, state: str | None = None) -> list[Draft]:
    """The drafts for a sheet, or those in one state, document by document."""
    rows = store.rows(
        f"{_DRAFT} where o.sheet_name = ? order by d.document_id, d.id", (sheet_name,)
    )
    return [draft for draft in map(_draft, rows) if state in (None, draft.state)]


def get(store: Store, draft_id: int) -> Draft:
    """One draft by its number."""
    row = store.row(f"{_DRAFT} where d.id = ?", (draft_id,))
    if row is None:
        raise Problem("There is no draft {draft_id}. `build` lists the numbers.", draft_id=draft_id)
    return _draft(row)


def approve(store: Store, draft_id: int, who: str, words: Words | None = None) -> Draft:
    """Approve a draft for answering, unchanged or with the edited text.

    Raises:
        Problem: The reviewer is missing, the text cannot be a question about the document, or an
            approved draft of the document asks the same.
    """
    draft = get(store, draft_id)
    words = words or draft.words
    fault = words.fault(document(store, draft.document_id).text)
    others = _of_document(store, draft.document_id)
    asked = [(o.id, o.words) for o in others if o.state == APPROVED and o.id != draft_id]
    fault = fault or _doubled(asked, words)
    if fault:
        raise Problem(
            "Draft {draft_id} cannot be approved. {fault} Edit it, or reject it.",
            draft_id=draft_id,
            fault=fault,
        )
    return _decide(store, draft_id, APPROVED, words, "", who)


def reject(store: Store, draft_id: int, who: str, why: str = "") -> Draft:
    """Reject a draft: it is not sent to answering models."""
    return _decide(store, draft_id, REJECTED, get(store, draft_id).words, why, who)


def _decide(store: Store, draft_id: int, decision: str, words: Words, why: str, who: str) -> Draft:
    if not who.strip():
        raise Problem(
            "Give the reviewer's name, so that the sheet shows who approved its questions."
        )
    with store.write():
        store.insert(
            "draft_decisions",
            draft_id=draft_id,
            decision=decision,
            **words._asdict(),
            why=why,
            who=" ".join(who.split()),
            created_at=now(),
        )
    return get(store, draft_id)


def _of_document(store: Store, document_id: int) -> list[Draft]:
    rows = store.rows(f"{_DRAFT} where d.document_id = ? order by d.id", (document_id,))
    return [_draft(row) for row in rows]


def _met(store: Store, document_id: int) -> list[tuple[int, Words]]:
    """Return each draft of a document that reached a reviewer: its number and current text."""
    sound = [one for one in _of_document(store, document_id) if one.state != FAULTY]
    return [(one.id, words) for one in sound for words in (one.words, one.written)]


def _doubled(others: Iterable[tuple[int, Words]], words: Words) -> str:
    """Return a sentence naming the draft of the document that asks the same; '' for none."""
    asked = normalised(words.question)
    same = (number for number, other in others if normalised(other.question) == asked)
    number = next(same, None)
    return said("Draft {n} asks the same of this document.", n=number) if number else ""


def _draft(row: Row) -> Draft:
    written = Words(row["question"], row["reference"], row["quote"])
    own = Words(row["own_question"], row["own_reference"], row["own_quote"])
    decided = row["decision"]
    return Draft(
        row["id"],
        row["document_id"],
        row["document"],
        row["sheet_name"],
        row["model"],
        own if decided else written,
        written,
        decided or (FAULTY if row["fault"] else WAITING),
        row["why"] if decided else row["fault"],
        row["who"] or "",
    )
