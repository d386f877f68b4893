"""Report how much of the interface each language translates.

    python -m concord.language.coverage          a line per language
    python -m concord.language.coverage ko       and the texts that Korean lacks

A text that is missing is shown in English, so this never fails.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from babel.messages import Catalog
from babel.messages.frontend import CommandLineInterface
from babel.messages.pofile import read_po

from concord.language import catalogues
from concord.language.languages import ENGLISH, LANGUAGES

_ROOT = Path(__file__).parent.parent.parent


def template() -> Catalog:
    """Return every text of the interface as it is in the source now."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "concord.pot"
        options = ["-F", f"{_ROOT / 'pyproject.toml'}", "-o", f"{file}"]
        CommandLineInterface().run(["pybabel", "-q", "extract", *options, f"{_ROOT}"])
        with file.open("rb") as written:
            return read_po(written)


def missing(known: Catalog, texts: Catalog) -> list[str]:
    """Return the texts that a catalogue does not translate, sorted; of a plural the singular."""
    asked = (text.id for text in texts if text.id)
    found = ((each, known.get(each)) for each in asked)
    lacks = (each for each, one in found if one is None or not catalogues.translated(one))
    return sorted(each if isinstance(each, str) else each[0] for each in lacks)


def main(listed: list[str]) -> None:
    """Print the coverage of each language, and the missing texts of those listed."""
    texts = template()
    for language in (code for code in LANGUAGES if code != ENGLISH):
        lacks = missing(catalogues.read(language), texts)
        share = 1 - len(lacks) / len(texts)
        print(f"{language}: {len(texts) - len(lacks):,} of {len(texts):,} texts ({share:.1%})")
        if language in listed:
            print(*(f"  {text}" for text in lacks), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
