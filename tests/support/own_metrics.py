"""The two files of docs/own-metric.md."""

import re

from tests.support.source import ROOT

PAGE = (ROOT / "docs" / "own-metric.md").read_text(encoding="utf-8")
TOML, PYTHON = (
    re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)[1] for kind in ("toml", "python")
)
