"""Export of sheets for ragas: one JSON object per line, as its EvaluationDataset reads them.

Keys unknown to ragas are in the same objects; ragas ignores them and `import` reads them, so a file
gives the same items again. ragas keeps single-turn answers and conversations in separate data sets,
so a sheet with both becomes two files.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from concord.exporting.exported_tables import naming
from concord.importing import conversation, list_cells
from concord.importing.columns import column_map
from concord.model import EXTRA_FIELDS, Item, Sheet
from concord.store import items, sheets
from concord.store.database import Store

_TYPES = {"user": "human", "assistant": "ai", "tool": "tool"}
_AT_ONCE = 500


def write(store: Store, folder: Path, only: Sheet | None = None) -> list[Path]:
    """Write every sheet as one or two `.jsonl` files into a new folder."""
    written = {}
    chosen = [only] if only else sheets.all_sheets(store)
    with store.snapshot(), naming(folder):
        if chosen:
            folder.mkdir()
        for sheet in chosen:
            stem = re.sub(r"[^\w.-]+", "_", sheet.name)
            stem = stem if folder / f"{stem}.jsonl" not in written else f"{stem}-{sheet.id}"
            _write_sheet(store, sheet, folder, stem, written)
    return list(written)


def sample(item: Item) -> dict[str, Any]:
    """Return one item as a dict for a ragas sample; unknown values are left out.

    Contexts are in rank order. Extra fields of the answer keep their own names, unless `import`
    would read a column of that name as something else.
    """
    ranked = sorted(item.contexts, key=lambda one: one.rank)
    whole = conversation.messages(item.turns or (), item.question, item.answer)
    references = [_plain(text) for text in item.reference]
    rubric = item.metadata.get("rubric")
    said = {
        "user_input": list(_messages(whole)) if item.turns else item.question,
        "response": None if item.turns else item.answer,
        "retrieved_contexts": [one.text for one in ranked],
        "retrieved_context_ids": [one.id for one in ranked] if any(o.id for o in ranked) else None,
        "reference": references[0] if references else None,
        "reference_contexts": list(item.reference_contexts) or None,
        "reference_context_ids": item.metadata.get("relevant_ids"),
        "rubrics": _rubric(rubric) if isinstance(rubric, Mapping) else None,
        **{f"reference_{place}": text for place, text in enumerate(references[1:], 2)},
        "context_doc_ids": [o.doc_id for o in ranked] if any(o.doc_id for o in ranked) else None,
        "item_id": item.own_id,
        "question_id": item.question_id,
        "cluster": item.cluster,
        "answer_model": item.answer_model,
        "judge_date": item.metadata.get("judge_date"),
        "synthetic": True if item.synthetic else None,
    }
    rest = {key: value for key, value in item.metadata.items() if key not in EXTRA_FIELDS}
    kept = column_map([key for key in rest if key not in said]).leftovers
    said |= {key: rest[key] for key in kept}
    return {key: value for key, value in said.items() if value is not None}


def _write_sheet(
    store: Store, sheet: Sheet, folder: Path, stem: str, written: dict[Path, None]
) -> None:
    for name, is_talk in ((f"{stem}.jsonl", False), (f"{stem}-conversations.jsonl", True)):
        lines = (
            json.dumps(sample(item), ensure_ascii=False) + "\n"
            for item in _items(store, sheet)
            if bool(item.turns) is is_talk
        )
        first = next(lines, None)
        if first is not None:
            with (folder / name).open("w", encoding="utf-8") as file:
                file.writelines([first])
                file.writelines(lines)
            written[folder / name] = None


def _items(store: Store, sheet: Sheet) -> Iterator[Item]:
    ids = items.item_ids(store, sheet.id)
    for start in range(0, len(ids), _AT_ONCE):
        yield from (one.item for one in items.items(store, ids[start : start + _AT_ONCE]))


def _messages(turns: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield turns as messages of the three types of ragas; other roles become an extra key."""
    may_be_tool = False  # RAGAS takes a tool's message only after a call of tools
    for turn in turns:
        role = turn["role"]
        kind = _TYPES.get(role, "human")
        kind = "human" if kind == "tool" and not may_be_tool else kind
        message = {"content": turn["content"], "type": kind}
        if _TYPES.get(role) != kind:
            message["metadata"] = {"role": role}
        if turn.get("tool_calls"):
            message["tool_calls"] = turn["tool_calls"]
        may_be_tool = kind == "tool" or (kind == "ai" and bool(turn.get("tool_calls")))
        yield message


def _rubric(meanings: Mapping[str, str]) -> dict[str, str]:
    return {
        key if key.startswith("-") else f"score{key}_description": meaning
        for key, meaning in meanings.items()
    }


def _plain(text: str) -> str:
    """A text that would be read as a list of texts is written as a list of one."""
    return text if list_cells.is_one_text(text) else json.dumps([text], ensure_ascii=False)
