"""List the English texts that a language lacks: `python -m words.untranslated [CODE]...`.

A text that is missing is shown in English, so this is a list to work through, not a check.
"""

import sys
from pathlib import Path

from words import spoken
from words.language import ENGLISH, LANGUAGES, words

_ROOT = Path(__file__).parent.parent
_ELSEWHERE = {"tests", "benchmarks"}
_UNSAID = {"endpoints.toml", "prices.toml"}  # names of servers and models


def spoken_texts() -> set[str]:
    """Every English text of the interface."""
    folders = [path for path in _ROOT.iterdir() if path.is_dir() and path.name[0] != "."]
    rooms = [path for path in folders if path.name not in _ELSEWHERE]
    judges = [path for path in (_ROOT / "judges").glob("*.toml") if path.name not in _UNSAID]
    ends = ("py", "js", "html")
    paths = [path for room in rooms for end in ends for path in room.rglob(f"*.{end}")]
    paths += [*_ROOT.glob("*.py"), *(_ROOT / "metrics").glob("*.toml"), *judges]
    paths.append(_ROOT / "docs" / "figures.md")
    return {text for path in paths for text in spoken.of(path) if text.strip()}


def missing(language: str, texts: set[str]) -> list[str]:
    """Of some texts, those without a translation, in order."""
    return sorted(texts - words(language).keys())


def main(languages: list[str]) -> None:
    """Print each language's count of missing texts, then the texts."""
    texts = spoken_texts()
    for language in languages or [code for code in LANGUAGES if code != ENGLISH]:
        listed = missing(language, texts)
        print(f"{language}: {len(listed)} of {len(texts)} texts are missing")
        print(*(f"  {text}" for text in listed), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
