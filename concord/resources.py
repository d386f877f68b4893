"""Where the files that ship are: in a checkout beside the code, installed inside the package."""

from pathlib import Path

PACKAGE = Path(__file__).parent
_CHECKOUT = PACKAGE.parent
ROOT = _CHECKOUT if (_CHECKOUT / "pyproject.toml").is_file() else PACKAGE / "shipped"

JUDGES = ROOT / "judges"
RUBRICS = ROOT / "rubrics"
SAMPLES = ROOT / "data" / "samples"
DOCS = ROOT / "docs"
