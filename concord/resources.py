"""Location of the shipped files: next to the code in a checkout, inside the installed package."""

import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent
IS_CHECKOUT = (PACKAGE.parent / "pyproject.toml").is_file()
ROOT = PACKAGE.parent if IS_CHECKOUT else PACKAGE / "shipped"

JUDGES = ROOT / "judges"
RUBRICS = ROOT / "rubrics"
SAMPLES = ROOT / "data" / "samples"
DOCS = ROOT / "docs"
SKILLS = ROOT / "skills"
ASSETS = PACKAGE / "ui" / "assets"  # style sheets and images
COMMAND = "python cli.py" if IS_CHECKOUT else "concord"  # how the command line is called


def data_folder() -> Path:
    """Return the folder of the default database: `data/` of a checkout, else the user's own.

    The latter is ~/Library/Application Support/Concord on macOS, elsewhere concord in
    XDG_DATA_HOME, which is ~/.local/share where it is unset or relative (XDG Base Directory).
    """
    if IS_CHECKOUT:
        return ROOT / "data"
    if sys.platform == "darwin":
        return Path("~/Library/Application Support/Concord").expanduser()
    named = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (named if named.is_absolute() else Path("~/.local/share").expanduser()) / "concord"


def install(extra: str) -> str:
    """Return the command that installs an extra of Concord, such as `dask`."""
    what = "-e '.[{}]'" if IS_CHECKOUT else "'concord-judges[{}]'"
    return "pip install " + what.format(extra)
