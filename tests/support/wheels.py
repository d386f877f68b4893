"""Processes that run what a wheel has installed."""

import os
import subprocess
from pathlib import Path


def clean_environment(folder: Path) -> dict[str, str]:
    """No database is named, and the user's folders lie beside the empty one."""
    own = ("OPENAI_", "STREAMLIT_", "CONCORD_DB", "XDG_", "DISPLAY", "WAYLAND_DISPLAY")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(own)}
    return kept | {"HOME": str(folder.with_name("home"))}


def finished(command: list, folder: Path, **more) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False, **more
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
