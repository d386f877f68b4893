"""The explanation of a term in one sentence, read from docs/figures.md, so it is written once."""

import functools
import re

from concord.resources import DOCS
from concord.ui.language import say

DOCUMENT = DOCS / "figures.md"


def sentence(term: str) -> str:
    """The sentence behind the question mark of a term, in the language of who reads it.

    Raises:
        KeyError: a term without one.
    """
    return say(_sentences()[term])


@functools.cache
def _sentences() -> dict[str, str]:
    text = DOCUMENT.read_text(encoding="utf-8")
    found = re.findall(r"^### (.+)\n(.+(?:\n.+)*)", text, flags=re.MULTILINE)
    return {term: " ".join(paragraph.split("\n")) for term, paragraph in found}
