"""What modules brought is set aside from the search for garbage, once."""

import gc
import sys
from types import ModuleType

import pytest

from ui import heap
from ui.warm import GRADERS_NEED, warm


@pytest.fixture(autouse=True)
def thawed():
    yield
    gc.unfreeze()


def test_what_is_there_is_set_aside_when_modules_were_loaded_and_not_otherwise(monkeypatch):
    heap.settle()
    gc.unfreeze()
    heap.settle()
    assert gc.get_freeze_count() == 0
    monkeypatch.setitem(sys.modules, "loaded_meanwhile", ModuleType("loaded_meanwhile"))
    heap.settle()
    assert gc.get_freeze_count() > 10_000


def test_what_a_graders_screen_needs_can_be_loaded_before_anybody_opens_one():
    warm()
    assert set(GRADERS_NEED) <= sys.modules.keys()
