"""Team: who may sign in and as what, their links, and what was changed by whom."""

from concord.ui.frame import enter
from concord.ui.screens.team import (
    changed,
    headline,
    invite,
    members_table,
    new_member,
    one_member,
    unavailable,
)

store = enter(__file__)
if not unavailable(store):
    headline(store)
    members_table(store)
    invite(store)
    one_member(store)
    new_member(store)
    changed(store)
