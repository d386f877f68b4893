"""Edits of rubrics made in the app, and the history of a rubric's criterion versions."""

import re
from collections import Counter
from typing import NamedTuple

from concord.clock import now
from concord.messages import Conflict, Problem
from concord.rubrics.model import Rubric, from_body, presets
from concord.store.database import Store, marks
from concord.store.grades import CURRENT
from concord.store.rubrics import rubric_versions

_COPY = re.compile(r" \(copy(?: \d+)?\)$")


class Version(NamedTuple):
    """One version of a criterion and how many grades hang on it.

    `newest` is whether the rubric's newest content uses it; `counted_in` names the versions its
    grades were carried into, with the reason given.
    """

    criterion: str
    version: str
    since: str
    grades: int
    newest: bool
    counted_in: tuple[tuple[str, str], ...]


class GradeCounts(NamedTuple):
    """Current grades of a criterion on a sheet: by annotators, and by judges and metrics."""

    annotators: int
    judges: int


def grade_counts(store: Store, sheet_id: int, rubric: Rubric) -> dict[str, GradeCounts]:
    """Return the current grades of a sheet by criterion, for those that have any.

    Grades of earlier versions that were carried into the rubric's are counted too.
    """
    names = rubric_versions.criteria(store, rubric)
    found: Counter[tuple[str, int]] = Counter()
    for row in store.rows(
        f"""select g.version, r.kind = 'person' as by_annotator, count(*) as n from grades g
        join items i on i.id = g.item_id join graders r on r.id = g.grader_id
        where i.sheet_id = ? and g.version in ({marks(names)}) and g.status <> 'withdrawn'
        and {CURRENT} group by 1, 2""",
        (sheet_id, *names),
    ):
        found[names[row["version"]], row["by_annotator"]] += row["n"]
    return {name: GradeCounts(found[name, 1], found[name, 0]) for name, _ in found}


def sets_under(store: Store, rubric: Rubric) -> list[str]:
    """The grading sets that are graded by a rubric of that name, by name."""
    return store.column(
        """select s.name from grading_sets s join rubrics r on r.id = s.rubric_id
        join sheets h on h.id = s.sheet_id where r.name = ?
        and h.undone_import is null order by s.id""",
        (rubric.name,),
    )


def save(
    store: Store,
    base: Rubric,
    new: Rubric,
    carried: dict[str, str],
) -> int:
    """Store an edit of `base`, a stored rubric, as the newest content of its name; returns its id.

    `carried` says by criterion why its change is of wording only, so that its grades count on.
    Grading sets keep the words they were made with, until they are asked again (`regrades`).
    """
    if new.name in presets() and not is_own(store, new.name):
        raise Conflict(
            "{name} ships with Concord and cannot be changed. Give your rubric another name.",
            name=new.name,
        )
    if new.name != base.name and new.name in rubric_versions.names(store):
        raise Conflict(
            "A rubric {name} already exists. Give yours another name, or edit that one.",
            name=new.name,
        )
    with store.write():
        rubric_id = rubric_versions.register(store, new, "app")
        # An edit back to an earlier content must become the newest again.
        store.execute("update rubrics set created_at = ? where id = ?", (now(), rubric_id))
        rubric_versions.carry_imported(store, base, new)
        for criterion, why in carried.items():
            if not why.strip():
                raise Problem(
                    "{criterion}: give the reason why only the wording changed; it is stored with "
                    "the grades that remain valid.",
                    criterion=criterion,
                )
            rubric_versions.carry(store, base, new, criterion, why.strip())
    return rubric_id


def history(store: Store, name: str) -> list[Version]:
    """Return every criterion version a rubric of that name ever had, newest content first."""
    _, newest = rubric_versions.named(store, name)
    current = set(newest.versions().values())
    counted_in = "select new_version, why from carried_versions where old_version = ? order by id"
    found: dict[str, Version] = {}
    for row in store.rows(
        "select body, created_at from rubrics where name = ? order by created_at desc, id desc",
        (name,),
    ):
        for criterion, version in from_body(row["body"]).versions().items():
            known = found.get(version)
            found[version] = Version(
                criterion,
                version,
                min(row["created_at"], known.since) if known else row["created_at"],
                rubric_versions.grades_under(store, version),
                version in current,
                tuple(map(tuple, store.rows(counted_in, (version,)))),
            )
    order = {criterion.name: place for place, criterion in enumerate(newest.criteria)}
    return sorted(found.values(), key=lambda v: (order.get(v.criterion, len(order)), not v.newest))


def is_own(store: Store, name: str) -> bool:
    """True where the newest rubric of that name is the user's own and not a preset."""
    own = "select 1 from rubrics where name = ? and source <> 'preset'"
    return store.has(own, (name,))


def free_title(store: Store, title: str) -> str:
    """A title like the given one that no rubric has: TITLE (copy), TITLE (copy 2), ..."""
    taken = {rubric_versions.named(store, name)[1].title for name in rubric_versions.names(store)}
    plain = _COPY.sub("", title)
    free, place = f"{plain} (copy)", 1
    while free in taken:
        place += 1
        free = f"{plain} (copy {place})"
    return free


def free_name(store: Store, name: str) -> str:
    """A name like the given one that no rubric has: my-NAME, my-NAME-2, ..."""
    taken = set(rubric_versions.names(store))
    wanted, place = f"my-{name.removeprefix('my-')}", 1
    free = wanted
    while free in taken:
        place += 1
        free = f"{wanted}-{place}"
    return free
