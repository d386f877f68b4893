"""Graders' screens take turns, and whoever else opens one waits for nobody."""

import sys
from threading import Event, Thread

import pytest

from concord.ui import page_run as module
from concord.ui.page_run import AT_ONCE, limited
from concord.ui.server.preload import GRADERS_NEED, preload
from tests.support.patience import PATIENT_S

pytestmark = pytest.mark.usefixtures("turns")


def test_one_more_grader_waits_for_a_turn(held):
    opened = Event()

    def one_more() -> None:
        with limited(closed=True):
            opened.set()

    waiting = Thread(target=one_more)
    waiting.start()
    assert not opened.wait(0.05)
    held.set()
    assert opened.wait(PATIENT_S)
    waiting.join()


def test_a_screen_of_reports_opens_at_once(held):
    with limited(closed=False):
        pass


def test_nobody_waits_forever(held, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE_S", 0.01)
    with limited(closed=True):
        pass


def test_a_screen_that_fails_gives_its_turn_back(turns):
    for _ in range(AT_ONCE + 1):
        with pytest.raises(ZeroDivisionError), limited(closed=True):
            raise ZeroDivisionError
    assert all(turns.acquire(blocking=False) for _ in range(AT_ONCE))


def test_what_a_graders_screen_needs_can_be_loaded_before_anybody_opens_one():
    preload()
    assert set(GRADERS_NEED) <= sys.modules.keys()
