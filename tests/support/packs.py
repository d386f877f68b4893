"""Packs that come back: read, taken, and the grades they left."""

from concord.grading import grading_sets
from concord.grading import package_return as take_back
from concord.importing.readers.formats import open_table
from concord.store import grades

TEXT = "=SUM(1,2) 漢字と“引用” _x0041_ 🙂 \x0b end"


def team_set(store):
    """The grading set that was packed."""
    return grading_sets.get(store, store.value("select id from grading_sets where name = 'Team'"))


def opened(data, name):
    """The table of a file that came back."""
    table = open_table(data, name)
    return take_back.table_of(table, lambda other: open_table(data, name, worksheet=other))


def take(store, data, name, partial=False, on_conflict=None):
    """Read a file that came back and take its grades; both results."""
    coming = take_back.read(store, opened(data, name))
    return coming.read, take_back.store_grades(store, coming, partial, on_conflict)


def graded(store, name="Ana"):
    """Every current grade of an annotator: item, repeat, status, score, reason, blind, seconds."""
    return store.rows(
        "select g.item_id, g.repeat, g.status, g.score, g.reason, g.blind, g.seconds from grades g"
        f" join graders r on r.id = g.grader_id where r.name = ? and {grades.CURRENT}"
        " order by g.item_id, g.repeat, g.version",
        (name,),
    )
