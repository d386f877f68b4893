"""Catalogues: the translations of a language, read from its `.po` file when it is first needed.

Each language has `locale/CODE/LC_MESSAGES/concord.po`. It is read as it is, so that who translates
sees a change at the next start and nothing has to be compiled.
"""

from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

LOCALE = Path(__file__).parent / "locale"
DOMAIN = "concord"


class _Untranslated(NullTranslations):
    """Fallback for a text that a catalogue lacks: None, so that the whole text stays English.

    gettext's own fallback returns the English template, which would then be filled with translated
    values: a sentence in two languages.
    """

    def gettext(self, message: str) -> None:
        return None

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> None:
        return None


def path(language: str) -> Path:
    """Return the catalogue of a language."""
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def read(language: str):
    """Return the `babel.messages.Catalog` of a language."""
    # Babel is loaded here: who reads English never needs it.
    from babel.messages.pofile import read_po

    with path(language).open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN)


@cache
def translations(language: str) -> GNUTranslations:
    """Return the translations of a language; `gettext` and `ngettext` are None for missing ones."""
    return translations_of(read(language))


def translations_of(catalogue) -> GNUTranslations:
    """Return the translations of a `babel.messages.Catalog`."""
    from babel.messages.mofile import write_mo

    # write_mo would fill an untranslated plural with its English, whose singular is then used for
    # every number in a language without plurals.
    for message in list(catalogue):
        if message.id and not all(_strings(message)):
            catalogue.delete(message.id)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    found = GNUTranslations(compiled)
    found.add_fallback(_Untranslated())
    return found


def translated(message) -> bool:
    """Return whether a message of a catalogue is translated in full; a fuzzy one is not."""
    return all(_strings(message)) and not message.fuzzy


def _strings(message) -> tuple[str, ...]:
    return message.string if isinstance(message.string, tuple) else (message.string,)
