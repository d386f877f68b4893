"""Write the sections of the declared statistics into docs/statistics.md.

python -m tests.support.docs_statistics
"""

import re
from textwrap import wrap

from concord.stats.statistics import BY_KEY, Statistic
from tests.support.source import ROOT

PAGE = ROOT / "docs" / "statistics.md"
FROM, TO = "<!-- from concord/stats/statistics.py -->\n", "<!-- end -->"


def written(text: str) -> str:
    """Return the page with the sections as the registry has them."""
    before, rest = text.split(FROM)
    sections = "\n".join(map(_section, BY_KEY.values()))
    return f"{before}{FROM}\n{sections}\n{TO}{rest.split(TO, 1)[1]}"


def _section(statistic: Statistic) -> str:
    parts = re.split(r"\n(?=[A-Z]\w+: )", statistic.doc.strip())
    lines = (
        wrap(f"- **{head}:** {text}", 120, subsequent_indent="  ", break_long_words=False)
        for head, text in (part.replace("\n", " ").split(": ", 1) for part in parts)
    )
    return "\n".join(
        [f"### {statistic.heading}", "", *(line for some in lines for line in some), ""]
    )


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
