"""Conditions of queries that leave out what undoing an import took out of its sheet."""

# Of a row of `sheets`: neither one that keeps undone answers nor one that undoing has emptied.
LIVE_SHEET = "undone_import is null and not emptied"
# Of the id of an answer: it was not taken out.
LIVE_ITEM = (
    "not in (select i.id from sheets h cross join items i on i.sheet_id = h.id"
    " where h.undone_import is not null)"
)
