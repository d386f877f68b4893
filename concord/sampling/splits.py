"""Splits of questions, and the leak guard: what may be shown to judges is never scored."""

from collections.abc import Iterable

from concord.messages import Problem, quoted
from concord.model import EVALUATION, FEW_SHOT, HELD_OUT, STORED_SPLITS, Sheet
from concord.sampling.leak_guard import Origin, ShownExamples
from concord.store.database import Row, Store
from concord.store.items import QUESTION_SPLIT

CALLED = {
    FEW_SHOT: "few-shot pool",
    EVALUATION: "evaluation",
    HELD_OUT: "held-out test",
}


def questions_named(store: Store, sheet: Sheet, names: Iterable[str]) -> list[int]:
    """The ids of questions by the sheet's own ids, or by number where the sheet gives none.

    A Problem that names those there are not.
    """
    known = {row["own_id"] or str(row["id"]): row["id"] for row in of_sheet(store, sheet.id)}
    unknown = [name for name in names if name not in known]
    if unknown:
        listed = quoted(unknown)
        raise Problem(
            "Sheet “{sheet}” has no question {listed}. The command `splits` lists them.",
            sheet=sheet.name,
            listed=listed,
        )
    return [known[name] for name in names]


def of_sheet(store: Store, sheet_id: int) -> list[Row]:
    """Return every question of a sheet with its split and its number of answers.

    Where the file has ids of answers alone, and one answer to each question, they name questions.
    """
    return store.rows(
        f"""with one as (select count(*) = count(distinct i.question_id)
        and count(*) = count(i.own_id) and count(q.own_id) = 0 as each
        from items i join questions q on q.id = i.question_id where q.sheet_id = ?1)
        select q.id, case when one.each then (select i.own_id from items i
        where i.question_id = q.id) else q.own_id end as own_id,
        q.text, q.cluster, {QUESTION_SPLIT} as split,
        (select count(*) from items i where i.question_id = q.id) as answers
        from questions q, one where q.sheet_id = ?1 order by q.id""",
        (sheet_id,),
    )


def leaked(store: Store, sheet_id: int, also: Iterable[Origin] = ()) -> set[int]:
    """The questions of a sheet that are never scored, because judges may have seen them.

    Those that leak by what is shown anywhere: the questions of the few-shot pool in any sheet, and
    `also`, what else a judge is shown.
    """
    return _tied(store, sheet_id, [*_origins(store, FEW_SHOT), *also])


def held_out(store: Store, sheet_id: int) -> set[int]:
    """The questions of a sheet that stay closed until a certificate opens them.

    Those of the held-out test, and those that came in later with the text or cluster of one that is
    held out in any sheet.
    """
    return _tied(store, sheet_id, _origins(store, HELD_OUT))


def _tied(store: Store, sheet_id: int, origins: list[Origin]) -> set[int]:
    """The questions of a sheet that share the cluster or text of some origins."""
    if not origins:
        return set()
    shown = ShownExamples(origins)
    return {
        row["id"]
        for row in store.rows(
            "select id, text_hash, cluster from questions where sheet_id = ?", (sheet_id,)
        )
        if shown.leaks(Origin(row["text_hash"], row["cluster"]))
    }


def _origins(store: Store, split: str) -> list[Origin]:
    return [
        Origin(*row)
        for row in store.rows(
            """select q.text_hash, q.cluster from questions q join question_roles r
            on r.question_id = q.id where r.role = ? and r.id =
            (select max(id) from question_roles l where l.question_id = q.id)""",
            (STORED_SPLITS[split],),
        )
    ]
