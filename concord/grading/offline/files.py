"""Files of offline packages: what each grader gets, and what all share, by file name. Pure."""

import re
from collections.abc import Sequence

from concord.grading.offline.columns import Blank, used
from concord.rubrics.writer import as_toml

XLSX, JSONL, LABEL_STUDIO, ARGILLA = "xlsx", "jsonl", "labelstudio", "argilla"
FORMS = (XLSX, JSONL, LABEL_STUDIO, ARGILLA)
_NO_NAME = re.compile(r"[^\w .()@+-]+")


def files(packs: Sequence[Blank], forms: Sequence[str]) -> dict[str, bytes]:
    """Return every file of the packages of one set, by name.

    Each grader gets one file of each form. JSON Lines come with the rubric as TOML, tasks of Label
    Studio with its labelling interface, records of Argilla with the settings of their dataset.
    """
    from concord.grading.offline import formats, workbook  # openpyxl takes long to import

    texts = used(row for pack in packs for row in pack.rows)
    own = {
        XLSX: (".xlsx", workbook.write),
        JSONL: (".jsonl", formats.jsonl),
        LABEL_STUDIO: (" tasks.json", lambda pack: formats.tasks(pack, texts)),
        ARGILLA: (" records.json", lambda pack: formats.records(pack, texts)),
    }
    rubric = packs[0].rubric
    shared = {
        JSONL: (" rubric.toml", lambda: as_toml(rubric).encode()),
        LABEL_STUDIO: (" interface.xml", lambda: formats.interface(rubric, texts)),
        ARGILLA: (" settings.json", lambda: formats.settings(rubric, texts)),
    }
    names = _names(packs)
    found = {}
    for form in forms:
        ending, write = own[form]
        found |= {f"{name}{ending}": write(pack) for name, pack in zip(names, packs, strict=True)}
        if form in shared:
            ending, once = shared[form]
            found[f"{_plain(packs[0].set)}{ending}"] = once()
    return found


def _names(packs: Sequence[Blank]) -> list[str]:
    """A name for each pack's files, numbered where two would be the same."""
    plain = [f"{_plain(pack.set)} - {_plain(pack.grader)}" for pack in packs]
    folded = [name.casefold() for name in plain]
    return [
        name if folded.count(name.casefold()) == 1 else f"{name} ({n})"
        for n, name in enumerate(plain, 1)
    ]


def _plain(name: str) -> str:
    """A name as every system takes it for a file's."""
    return _NO_NAME.sub("_", name).strip(" .") or "pack"
