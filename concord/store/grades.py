"""Grades: one grader's score for one criterion of one item, append-only.

A changed grade is a new row that supersedes the old one; taking a grade back is a row with status
`withdrawn`. The *current* grade of (item, unit, criterion version, grader, repeat) is the end of
its chain. A press id makes a resent key harmless.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from concord.clock import now
from concord.model import Distribution
from concord.store.database import LIVE_ITEM, SET_CLOSED, Refused, Row, Store, marks

CURRENT = "not exists (select 1 from grades later where later.supersedes = g.id)"
# Statuses with which an answer or a unit was graded; the others say why a judge gave no grade.
GIVEN = "('scored', 'cannot_grade', 'not_applicable')"
_STATUSES = f"""select g.item_id, g.version, g.repeat, g.status from grades g
    join items i on i.id = g.item_id where i.sheet_id = ? and g.grader_id = ?
    and g.unit_id is null and {CURRENT}"""
_LAST = f"""select id from grades g where item_id = {{item_id}} and version = {{version}}
    and coalesce(unit_id, 0) = coalesce({{unit_id}}, 0)
    and grader_id = {{grader_id}} and repeat = {{repeat}} and {CURRENT}"""
# Prefix of the purpose of a run that repeats requests for a recheck.
RECHECK = "recheck"


class Press(NamedTuple):
    """One grade on its way to the disk; `press_id` is unique, and the same one is saved once.

    `rubric_language` is the language of the translation that the annotator read, '' for the rubric
    as it was written. `quote` has the words of the evidence and `marked_passages` the same with
    their places (`text/marked_passages.py`), '' where only the words are known. `distribution` is a
    judge's probability of each score, where it gave one.
    """

    item_id: int
    version: str
    grader_id: int
    status: str = "scored"
    score: float | None = None
    reason: str = ""
    seconds: float | None = None
    repeat: int = 1
    blind: bool | None = None
    press_id: str | None = None
    unit_id: int | None = None
    label: str | None = None
    run_id: int | None = None
    why: str = ""
    quote: str = ""
    rubric_language: str = ""
    marked_passages: str = ""
    distribution: Distribution | None = None


_COLUMNS = Press._fields[:-1]  # the distribution is last, and in a table of its own
# Values by position are bound in half the time of values by name.
_VALUES = {name: f"?{place}" for place, name in enumerate((*_COLUMNS, "now"), 1)}

_RECORD = (
    # `main.`, because on an annotator's connection `grades` is a view. The superseded grade is
    # looked up in the same statement, so no other write can come between.
    f"""insert into main.grades ({", ".join(_COLUMNS)}, supersedes, created_at)
    values ({", ".join(_VALUES[name] for name in _COLUMNS)}, ({_LAST.format(**_VALUES)}),
    {_VALUES["now"]})"""
)

# Among the grades after an id one of an annotator, of an answer of a closed set that no open set
# asks for anew.
_OF_CLOSED = """select 1 from grades n join graders r on r.id = n.grader_id and r.kind = 'person'
    join set_closings c on c.closed and instr(c.versions, '"' || n.version || '"')
    and c.id = (select max(l.id) from set_closings l where l.set_id = c.set_id)
    where n.id > ?
    and (exists (select 1 from grading_set_items m where m.set_id = c.set_id
      and m.item_id = n.item_id)
    or exists (select 1 from assignments a where a.set_id = c.set_id
      and a.item_id = n.item_id and a.grader_id = n.grader_id))
    and (exists (select 1 from grades g where g.id = n.supersedes
      and g.created_at <= c.created_at)
    or not exists (select 1 from assignments a where a.item_id = n.item_id
      and a.grader_id = n.grader_id and a.repeat = n.repeat
      and not coalesce((select l.closed from set_closings l where l.set_id = a.set_id
        order by l.id desc limit 1), 0)))"""


@contextmanager
def closed_sets_stay(store: Store) -> Iterator[None]:
    """Refuse the grades that are stored inside where one is of a closed set; inside `write()`."""
    # Once at the end: a trigger would more than double the time of every row of an import.
    last = store.value("select coalesce(max(id), 0) from grades")
    yield
    if store.has("select 1 from set_closings") and store.has(_OF_CLOSED, (last,)):
        raise Refused(SET_CLOSED)


def record(store: Store, presses: list[Press]) -> list[str]:
    """Put grades on disk in order, each superseding the current one; returns the press ids.

    Every press id of the call is returned once it is on disk, also those that were there before.
    """
    with store.write():
        new, moment = _not_saved(store, presses), now()
        by_hand = any(press.run_id is None for press in new)  # a set is open or closed to people
        with closed_sets_stay(store) if by_hand else nullcontext():
            store.execute_many(_RECORD, ((*press[:-1], moment) for press in new))
        if any(press.distribution for press in new):  # annotators may not write there
            # The ids of one transaction follow each other.
            first = store.value("select max(id) from grades") + 1 - len(new)
            numbered = enumerate(new, first)
            given = {id_: press.distribution for id_, press in numbered if press.distribution}
            keep_distributions(store, given)
    return [press.press_id for press in presses if press.press_id]


def _not_saved(store: Store, presses: list[Press]) -> list[Press]:
    """Return the presses to store; the browser repeats one until it is acknowledged."""
    saved = "select 1 from grades where press_id = ?"
    known, new = set(), []
    for press in presses:
        if press.press_id is not None:
            if press.press_id in known or store.has(saved, (press.press_id,)):
                continue
            known.add(press.press_id)
        new.append(press)
    return new


def keep_distributions(store: Store, found: Mapping[int, Distribution]) -> None:
    """Store the distributions of grades, by the grade's id; inside `write()`."""
    rows = ((id_, one.source, one.as_json(), one.outside) for id_, one in found.items())
    columns = ("grade_id", "source", "probabilities", "outside")
    store.insert_many("distributions", columns, rows)


def grade_blind(store: Store, presses: list[Press]) -> list[str]:
    """Record an annotator's grades; one given after they opened the judges' is not blind."""
    with store.write():
        # In the same transaction as the grades: judges' grades opened in between would count as
        # unseen.
        seen = {
            (press.item_id, press.grader_id): has_opened(store, press.item_id, press.grader_id)
            for press in presses
        }
        return record(store, [p._replace(blind=not seen[p.item_id, p.grader_id]) for p in presses])


def open_item(store: Store, item_id: int, grader_id: int | None) -> None:
    """Note that a grader, or someone who gave no name, now sees what judges said of an item.

    Not in a read-only database, in which no one grades.
    """
    if store.read_only:
        return
    with store.write():
        # One row is enough, and the time of the first look is the one that matters.
        if not has_opened(store, item_id, grader_id):
            store.insert("openings", item_id=item_id, grader_id=grader_id, opened_at=now())


def open_items(store: Store, item_ids: Iterable[int], grader_id: int | None) -> None:
    """Note the same of several items, before any is shown."""
    if store.read_only:
        return
    with store.write():
        for item_id in item_ids:
            open_item(store, item_id, grader_id)


def of_grader(store: Store, grader_id: int, item_ids: list[int], versions: list[str]) -> list[Row]:
    """A grader's own current grades of some items: all the grading screen may ever know."""
    return store.rows(
        f"""select g.id, g.item_id, g.version, g.repeat, g.status, g.score, g.reason, g.created_at
        from grades g where g.grader_id = ? and g.item_id in ({marks(item_ids)})
        and g.unit_id is null
        and g.version in ({marks(versions)}) and {CURRENT} and g.status <> 'withdrawn'""",
        (grader_id, *item_ids, *versions),
    )


def first_grades(store: Store, sheet_id: int, grader_id: int) -> list[Row]:
    """Return a judge's current grades of whole answers of a sheet, oldest first, without repeats.

    Each with item_id, version, criterion (its name), status and score.
    """
    return store.rows(
        f"""select g.item_id, g.version, c.name as criterion, g.status, g.score from grades g
        join items i on i.id = g.item_id join criteria c on c.version = g.version
        join graders r on r.id = g.grader_id
        where i.sheet_id = ? and coalesce(r.merged_into, r.id) = ? and g.unit_id is null
        and g.repeat = 1 and g.status <> 'withdrawn' and {CURRENT} order by g.id""",
        (sheet_id, grader_id),
    )


def of_item(store: Store, item_id: int, versions: list[str]) -> list[Row]:
    """Return all current grades of an item with their reasons; never for a grading screen."""
    return store.rows(
        f"""select r.kind, r.name, r.fingerprint, r.simulated, r.id as grader_id,
        c.name as criterion,
        g.id, g.version, g.status, g.score, g.reason, g.repeat, g.blind, g.created_at
        from grades g join graders o on o.id = g.grader_id
        join graders r on r.id = coalesce(o.merged_into, o.id)
        join criteria c on c.version = g.version
        where g.item_id = ? and g.unit_id is null and g.version in ({marks(versions)})
        and {CURRENT} and g.status <> 'withdrawn' order by r.kind desc, r.name, g.repeat""",
        (item_id, *versions),
    )


def statuses(store: Store, sheet_id: int, grader_id: int) -> list[Row]:
    """The status of every current grade of whole answers of a sheet by one grader."""
    return store.rows(_STATUSES, (sheet_id, grader_id))


def status_by_version(
    store: Store, sheet_id: int, grader_id: int, versions: Sequence[str]
) -> dict[tuple[int, int], tuple[str | None, ...]]:
    """A grader's statuses by (item, repeat): one for each version, None where there is no grade."""
    nothing, found = (None,) * len(versions), {}
    shared = {}  # few combinations occur, so each is held once
    places = {version: place for place, version in enumerate(versions)}
    for item_id, version, repeat, status in store.each(_STATUSES, (sheet_id, grader_id)):
        if version in places:
            known, place = found.get((item_id, repeat), nothing), places[version]
            more = (*known[:place], status, *known[place + 1 :])
            found[item_id, repeat] = shared.setdefault(more, more)
    return found


def current_id(store: Store, press: Press) -> int | None:
    """Return the id of the current grade that this press would supersede; None without one."""
    return store.value(_LAST.format(**{name: f":{name}" for name in _COLUMNS}), press._asdict())


def replaces_unseen(store: Store, press: Press, since: int, after: str) -> bool:
    """Return whether a press would replace a different grade that its annotator did not see.

    Seen are all grades up to the id `since`, and the one by the press id `after`, the annotator's
    press before this one. False for a press that is on disk.
    """
    evidence = (press.quote, press.marked_passages)
    given = (press.status, press.score, press.label, press.reason, *evidence)
    return store.has(
        """select 1 from grades g where g.id = ? and g.id > ? and g.press_id is not ?
        and g.status <> 'withdrawn'
        and (g.status, g.score, g.label, g.reason, g.quote, g.marked_passages)
        is not (?, ?, ?, ?, ?, ?)
        and not exists (select 1 from grades saved where saved.press_id = ?)""",
        (current_id(store, press), since, after, *given, press.press_id),
    )


def newest(store: Store, grader_id: int) -> int:
    """Return the id of the newest grade by a grader; 0 without any."""
    return store.value("select max(id) from grades where grader_id = ?", (grader_id,)) or 0


def has_opened(store: Store, item_id: int, grader_id: int | None) -> bool:
    """Tell if a grader has opened the judges' grades of an answer."""
    opened = "select 1 from openings where item_id = ? and grader_id is ?"
    return store.has(opened, (item_id, grader_id))


def has_opened_any(store: Store, sheet: str | None, grader_id: int) -> bool:
    """Tell if a grader has opened the judges' grades of any answer of a sheet, by its name."""
    return store.has(
        """select 1 from openings o join items i on i.id = o.item_id
        join sheets s on s.id = i.sheet_id where o.grader_id = ? and s.name = ?""",
        (grader_id, sheet),
    )


def recheck_grades(store: Store, sheet_id: int) -> list[int]:
    """The ids of the grades of a sheet that rechecks brought, which tell of another time."""
    rechecks = store.rows(
        f"""select id, grader_id from runs where sheet_id = ?
        and json_extract(scope, '$.purpose') like '{RECHECK} %'""",
        (sheet_id,),
    )
    of_run = "select id from grades where grader_id = ? and run_id = ? and repeat > 1"
    return [
        row["id"] for run in rechecks for row in store.rows(of_run, (run["grader_id"], run["id"]))
    ]


def by_grader(store: Store, sheet_id: int | None = None) -> list[Row]:
    """Return every grader with the number of its answers and grades, merged graders included.

    With a sheet, only those who graded it, and what they graded there. A changed grade counts once;
    neither a withdrawn one counts nor a request without a usable reply.
    """
    return store.rows(
        f"""select r.id, iif(json_extract(r.definition, '$.mean'), 'mean', r.kind) as kind, r.name,
        r.fingerprint, r.simulated, r.created_at,
        count(g.id) as grades, count(distinct g.item_id) as answers from graders r
        left join graders m on r.id in (m.id, m.merged_into)
        left join grades g on g.grader_id = m.id and {CURRENT} and g.status in {GIVEN}
        and g.item_id {LIVE_ITEM}
        and (:sheet is null or g.item_id in (select id from items where sheet_id = :sheet))
        where r.merged_into is null group by r.id having :sheet is null or count(g.id) > 0
        order by r.kind, r.name, r.id""",
        {"sheet": sheet_id},
    )


def distributions_of_grader(
    store: Store, sheet_id: int, grader_id: int, versions: Mapping[str, str]
) -> dict[tuple[int, str, int], Distribution]:
    """Return the distributions of a grader's current grades of whole answers of a sheet.

    By (item, criterion, repeat); `versions` are the criterion versions that count, with the
    criterion's name. A grade without a distribution is left out.
    """
    rows = store.rows(
        f"""select g.item_id, g.version, g.repeat, d.source, d.probabilities, d.outside
        from distributions d join grades g on g.id = d.grade_id
        join items i on i.id = g.item_id join graders r on r.id = g.grader_id
        where i.sheet_id = ? and coalesce(r.merged_into, r.id) = ? and g.unit_id is null
        and g.version in ({marks(versions)}) and {CURRENT} order by g.id""",
        (sheet_id, grader_id, *versions),
    )
    return {
        (row["item_id"], versions[row["version"]], row["repeat"]): Distribution(
            row["source"],
            tuple(sorted((float(s), p) for s, p in json.loads(row["probabilities"]).items())),
            row["outside"],
        )
        for row in rows
    }


def graders_with_distributions(store: Store, sheet_id: int) -> set[int]:
    """Return the ids of the graders of a sheet that gave any distribution."""
    return set(
        store.column(
            """select distinct coalesce(r.merged_into, r.id) from distributions d
            join grades g on g.id = d.grade_id join items i on i.id = g.item_id
            join graders r on r.id = g.grader_id where i.sheet_id = ?""",
            (sheet_id,),
        )
    )
