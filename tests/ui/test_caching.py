"""What screens compute is kept while nothing changes that it depends on."""

import streamlit as st

from concord.messages import said
from concord.store import graders
from concord.ui.caching import Keyed, kept, once


class Panel(Keyed):
    def __init__(self, *key: object):
        self.key = key


def test_a_result_is_kept_until_the_store_changes(calls, store, sheet):
    @kept(said("Counting…"))
    def count(store, sheet, factor):
        calls.append(factor)
        return factor * sheet.items

    assert count(store, sheet, 2) == count(store, sheet, 2) == 2 * sheet.items
    assert count(store, sheet, 3) == 3 * sheet.items and calls == [2, 3]
    graders.ensure(store, "person", "new")
    assert count(store, sheet, 2) == 2 * sheet.items and calls == [2, 3, 2]


def test_each_of_several_sheets_is_compared_by_its_state(calls, store, sheet):
    @kept()
    def names(store, sheets):
        calls.append(len(sheets))
        return [one.name for one in sheets]

    assert names(store, (sheet,)) == names(store, (sheet,)) and calls == [1]
    graders.ensure(store, "person", "new")
    assert names(store, (sheet,)) == [sheet.name] and calls == [1, 1]


def test_what_is_keyed_is_compared_by_its_key_and_what_follows_from_it_not_at_all(calls):
    @kept()
    def compute(panel, _follows):
        calls.append((panel.key, _follows))
        return len(calls)

    assert compute(Panel("a"), 1) == compute(Panel("a"), 2) == 1
    assert compute(Panel("b"), 2) == 2 and calls == [(("a",), 1), (("b",), 2)]


def test_a_copy_is_given_unless_the_result_is_shared(calls):
    copied, shared = kept()(lambda panel: [1]), kept(shared=True)(lambda panel: [2])
    assert copied(Panel("a")) is not copied(Panel("a"))
    assert shared(Panel("a")) is shared(Panel("a"))


def test_a_session_computes_once_for_what_is_wanted(calls, monkeypatch):
    monkeypatch.setattr(st, "session_state", {})

    def compute():
        calls.append(1)
        return len(calls)

    assert once("place", ("a",), compute) == once("place", ("a",), compute) == 1
    assert once("place", ("b",), compute) == 2
    assert once("place", ("a",), compute) == 3  # only the last one is kept
