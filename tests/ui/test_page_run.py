"""The way of a cold link through app.py to its page."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from concord.ui import frame
from concord.ui.page_run import framed
from tests.support.page_switches import WANTED, Left


def page(session, name):
    return SimpleNamespace(_page=Path(f"pages/{name}.py"), run=lambda: session.ran.append(name))


def test_a_run_that_the_browser_asks_for_on_the_way_to_a_page_takes_up_the_way(session):
    for _ in range(2):  # the second run takes the place of the page that the first went to
        with pytest.raises(Left):
            framed(page(session, "start"))
    assert session.switched == [WANTED, WANTED] and session.ran == []


def test_a_page_that_was_wanted_is_wanted_no_more_once_it_is_reached(session):
    framed(page(session, "agreement"))
    assert session.query == WANTED[1] and session.ran == ["agreement"]
    framed(page(session, "start"))
    assert session.switched == [] and session.ran == ["agreement", "start"]


def test_what_a_run_offered_that_ended_before_its_menu_is_not_offered_twice(session):
    shown = []
    del session.state["wanted"]
    frame.offer_download_choice(lambda: shown.append("before"))
    framed(SimpleNamespace(_page=Path("pages/start.py"), run=lambda: None))
    assert shown == []
