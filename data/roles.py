"""Roles of questions, and the leak guard: what may be shown to judges is never scored."""

from collections.abc import Iterable

from data.clock import now
from data.leak_guard import Origin, Shown
from data.sheets import Sheet
from data.store import Row, Store
from problems import Problem

ROLES = ("examples", "evaluation", "sealed")

_ROLE = "(select role from question_roles r where r.question_id = q.id order by r.id desc limit 1)"


def assign(store: Store, question_ids: list[int], role: str, why: str) -> None:
    """Give questions a role from now on; the history is kept."""
    if role not in ROLES:
        raise Problem(f"“{role}” is not a role. Choose one of: {', '.join(ROLES)}.")
    with store.write():
        store.insert_many(
            "question_roles",
            ("question_id", "role", "why", "created_at"),
            [(question_id, role, why, now()) for question_id in question_ids],
        )


def questions_named(store: Store, sheet: Sheet, names: Iterable[str]) -> list[int]:
    """The ids of questions by the sheet's own ids, or by number where the sheet gives none.

    A Problem that names those there are not.
    """
    known = {row["own_id"] or str(row["id"]): row["id"] for row in of_sheet(store, sheet.id)}
    unknown = [name for name in names if name not in known]
    if unknown:
        listed = ", ".join(f"“{name}”" for name in unknown)
        raise Problem(
            f"Sheet “{sheet.name}” has no question {listed}. The verb `roles` lists what it has."
        )
    return [known[name] for name in names]


def of_sheet(store: Store, sheet_id: int) -> list[Row]:
    """Every question of a sheet with its role and its number of answers."""
    return store.rows(
        f"select q.id, q.own_id, q.text, q.cluster, coalesce({_ROLE}, 'evaluation') as role,"
        " (select count(*) from items i where i.question_id = q.id) as answers"
        " from questions q where sheet_id = ? order by q.id",
        (sheet_id,),
    )


def leaked(store: Store, sheet_id: int, also: Iterable[Origin] = ()) -> set[int]:
    """The questions of a sheet that are never scored, because judges may have seen them.

    Those that leak by what is shown anywhere: the questions with role `examples` in any sheet, and
    `also`, what else a judge is shown.
    """
    shown = Shown([*_examples(store), *also])
    return {
        row["id"]
        for row in store.rows(
            "select id, text_hash, cluster from questions where sheet_id = ?", (sheet_id,)
        )
        if shown.leaks(Origin(row["text_hash"], row["cluster"]))
    }


def sealed(store: Store, sheet_id: int) -> set[int]:
    """The questions of a sheet that stay closed until a certificate opens them."""
    return {
        row["question_id"]
        for row in store.rows(
            "select question_id, role from question_roles r where id = (select max(id) from"
            " question_roles l where l.question_id = r.question_id) and role = 'sealed'"
            " and question_id in (select id from questions where sheet_id = ?)",
            (sheet_id,),
        )
    }


def _examples(store: Store) -> list[Origin]:
    return [
        Origin(*row)
        for row in store.rows(
            "select q.text_hash, q.cluster from questions q join question_roles r"
            " on r.question_id = q.id where r.role = 'examples' and r.id ="
            " (select max(id) from question_roles l where l.question_id = q.id)"
        )
    ]
