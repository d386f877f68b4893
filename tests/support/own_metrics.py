"""The two files of docs/own-metric.md.

A metric of the user's own, as the text of its file.
"""

import re

from tests.support.source import ROOT

PAGE = (ROOT / "docs" / "own-metric.md").read_text(encoding="utf-8")
TOML, PYTHON = (
    re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)[1] for kind in ("toml", "python")
)


TONE = """
name = "tone"
title = "Tone"
sentence = "Is it polite?"
prompt = "Say whether the answer is polite."
number = "tone"
votes = 3
over_votes = "majority"

[output.reason]
type = "text"

[output.tone]
type = "label"
values = {rude = 0, plain = 0.5, polite = 1}
"""
