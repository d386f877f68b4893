"""Openings of held-out questions: when, for what reason and by whom."""

from collections import defaultdict
from typing import NamedTuple

from concord.clock import now
from concord.messages import Problem
from concord.model import Sheet
from concord.sampling import splits
from concord.sampling.leak_guard import Origin, ShownExamples
from concord.store.database import Row, Store


class Opening(NamedTuple):
    """One opening of the held-out questions of a sheet; `who` is '' where unknown.

    `certificate_id` is the certificate that was made of them. Those that an earlier opening had
    opened, so were not unseen, are in `opened_before`.
    """

    id: int
    sheet_id: int
    purpose: str
    who: str
    decision_id: int | None
    certificate_id: int | None
    created_at: str
    questions: frozenset[int]
    opened_before: frozenset[int]

    def as_json(self) -> dict:
        """The opening for `--json`."""
        sets = {name: sorted(getattr(self, name)) for name in ("questions", "opened_before")}
        return self._asdict() | sets


def open_held_out(store: Store, sheet: Sheet, why: str, who: str = "") -> Opening:
    """Record that all held-out questions of a sheet are opened now, which cannot be undone.

    `panel.read(..., held_out=opening.questions)` then reads them. A Problem where none is
    held out, and where nothing says what for.
    """
    if not why.strip():
        raise Problem("Opening held-out questions is recorded with its reason. Give a reason.")
    with store.write():
        questions = splits.held_out(store, sheet.id)
        if not questions:
            raise Problem(
                "Sheet “{sheet}” has no held-out questions. Hold out some before prompts are "
                "tuned.",
                sheet=sheet.name,
            )
        opening_id = store.insert(
            "sealed_openings",
            sheet_id=sheet.id,
            purpose=why.strip(),
            who=who,
            created_at=now(),
        )
        store.insert_many(
            "sealed_opening_questions",
            ("opening_id", "question_id"),
            [(opening_id, question_id) for question_id in sorted(questions)],
        )
    return next(one for one in openings(store, sheet) if one.id == opening_id)


def certified(store: Store, opening: Opening, certificate_id: int) -> None:
    """Name the certificate that was made of an opening, once it has its id."""
    with store.write():
        store.execute(
            "update sealed_openings set certificate_id = ? where id = ?",
            (certificate_id, opening.id),
        )


def openings(store: Store, sheet: Sheet) -> list[Opening]:
    """Return every opening of a sheet's held-out test, oldest first."""
    opened: dict[int, list[Row]] = defaultdict(list)
    for row in store.rows(
        """select o.opening_id, q.id, q.text_hash, q.cluster from sealed_opening_questions o
        join questions q on q.id = o.question_id"""
    ):
        opened[row["opening_id"]].append(row)
    return [
        Opening(
            **dict(row),
            questions=frozenset(one["id"] for one in opened[row["id"]]),
            opened_before=_opened_before(opened, row["id"]),
        )
        for row in store.rows(
            "select * from sealed_openings where sheet_id = ? order by id", (sheet.id,)
        )
    ]


def _opened_before(opened: dict[int, list[Row]], opening_id: int) -> frozenset[int]:
    """The questions of an opening whose cluster or text an earlier one opened, in any sheet."""
    earlier = [_origin(row) for one, rows in opened.items() if one < opening_id for row in rows]
    shown = ShownExamples(earlier)
    return frozenset(row["id"] for row in opened[opening_id] if shown.leaks(_origin(row)))


def _origin(row: Row) -> Origin:
    return Origin(row["text_hash"], row["cluster"])
