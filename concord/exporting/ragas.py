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
from concord.importing import list_cells
from concord.importing.columns import column_map
from concord.model import EXTRA_FIELDS, Item, Sheet
from concord.store import items, sheets
from concord.store.database import Store

_TYPES = {"user": "human", "assistant": "ai", "tool": "tool"}


def write(store: Store, folder: Path, only: Sheet | None = None) -> list[Path]:
    """Write every sheet as one or two `.jsonl` files into a new folder."""
    written: set[Path] = set()
    with store.snapshot(), naming(folder):
        for sheet in [only] if only else sheets.all_sheets(store):
            folder.mkdir(exist_ok=True)
            name = re.sub(r"[^\w.-]+", "_", sheet.name)
            for stem in (name, f"{name}-{sheet.id}"):
                paths = (folder / f"{stem}.jsonl", folder / f"{stem}-conversations.jsonl")
                if not written & {*paths}:
                    break
            for is_talk, path in enumerate(paths):
                ids = store.column(
                    "select id from items where sheet_id = ? and (coalesce(turns, '[]') <> '[]')"
                    " = ? order by id",
                    (sheet.id, is_talk),
                )
                if ids:
                    written.add(path)
                    with path.open("w", encoding="utf-8") as file:
                        for item_id in ids:
                            line = sample(items.item(store, item_id).item)
                            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return sorted(written)


def sample(item: Item) -> dict[str, Any]:
    """Return one item as a dict for a ragas sample; unknown values are left out.

    Contexts are in rank order. Extra fields of the answer keep their own names, unless `import`
    would read a column of that name as something else.
    """
    ranked = sorted(item.contexts, key=lambda context: context.rank)
    own_ids, doc_ids = [each.id for each in ranked], [each.doc_id for each in ranked]
    whole = list_cells.messages(item.turns or (), item.question, item.answer)
    references = [
        # A text that would be read as a list of texts is written as a list of one.
        text if list_cells.is_one_text(text) else json.dumps([text], ensure_ascii=False)
        for text in item.reference
    ]
    rubric = item.metadata.get("rubric")
    known = {
        "user_input": [*_messages(whole)] if item.turns else item.question,
        "response": None if item.turns else item.answer,
        "retrieved_contexts": [each.text for each in ranked],
        "retrieved_context_ids": own_ids if any(own_ids) else None,
        "reference": references[0] if references else None,
        "reference_contexts": list(item.reference_contexts) or None,
        "reference_context_ids": item.metadata.get("relevant_ids"),
        "rubrics": rubric
        and {
            score if score.startswith("-") else f"score{score}_description": meaning
            for score, meaning in rubric.items()
        },
        **{f"reference_{place}": text for place, text in enumerate(references[1:], 2)},
        "context_doc_ids": doc_ids if any(doc_ids) else None,
        "item_id": item.own_id,
        "question_id": item.question_id,
        "cluster": item.cluster,
        "answer_model": item.answer_model,
        "judge_date": item.metadata.get("judge_date"),
        "synthetic": item.synthetic or None,
    }
    rest = [key for key in item.metadata if key not in {*EXTRA_FIELDS, *known}]
    known |= {key: item.metadata[key] for key in column_map(rest).leftovers}
    return {key: value for key, value in known.items() if value is not None}


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
