"""What a pane in the browser sends, handed to the server as Streamlit would: without a browser."""

from types import ModuleType
from typing import Any

import pytest

from concord.ui.components import grading_pane
from concord.ui.screens.review import review_work

_DRAWN = {grading_pane: "GRADING", review_work: "_component"}


class Pane:
    """The pane of a kind that was drawn last.

    Attributes:
        given: What it was given: its key, its data, and what hears of a batch.
    """

    def __init__(self, patch: pytest.MonkeyPatch, module: ModuleType):
        self._patch, self._module = patch, module
        self.given: dict[str, Any] = {}
        patch.setattr(module, _DRAWN[module], lambda **given: self.given.update(given))

    def send(self, **batch: Any) -> Any:
        """Send a batch; returns the server's reply."""
        key = self.given["key"]
        state = {key: {"batch": {"seq": 1, **batch}}}
        with self._patch.context() as patch:
            patch.setattr(self._module.st, "session_state", state)
            self.given["on_batch_change"]()
        return state[f"{key}.reply"]
