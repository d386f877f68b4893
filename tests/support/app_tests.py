"""What each AppTest does anew it does once, and it waits without looking every millisecond.

It reads what every installed package says of itself, and compiles the pages it runs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import app_test, local_script_runner


class _ByNavigation(PagesManager):
    """Runs app.py for every page, as the server does (`middleware`)."""

    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        PagesManager.uses_pages_directory = False


@contextmanager
def once() -> Iterator[None]:
    """So it is until the end of the session."""
    compiled, wait = local_script_runner.ScriptCache(), local_script_runner.require_widgets_deltas

    def joined(runner, timeout: float) -> None:
        runner._script_thread.join(timeout)
        wait(runner, timeout)

    with pytest.MonkeyPatch.context() as patch:
        read = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", read)
        for module in (app_test, local_script_runner):
            patch.setattr(module, "ScriptCache", lambda: compiled)
        patch.setattr(app_test, "PagesManager", _ByNavigation)
        patch.setattr(local_script_runner, "require_widgets_deltas", joined)
        yield
