"""Request for verdicts on units: one prompt for every unit rubric, with the rubric's text.

Pure. An annotator who labels the same units reads the same question, meanings and texts.
"""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from concord.judges.prompting.delimiters import fence, neutralised, tag
from concord.judges.prompting.request import strict
from concord.messages import Problem
from concord.metrics.prompts import ask
from concord.metrics.prompts.ask import Ask, Unreadable
from concord.model import Item, Unit
from concord.rubrics.model import Rubric, of_units
from concord.text.display import visible

TASK = """\
You check $plural one by one. Expert annotators answer the same question about the same $plural, \
and your verdicts are compared with theirs.

$material

# Question
$question

$meanings

# How to check
- Use only the material shown, no outside knowledge.
- Check each one independently of the others.
- Write the reason first: one or two sentences, in the language of the unit. Then copy the \
decisive passage verbatim into quote; leave it empty if there is none. Then choose the verdict.
- Give exactly one verdict for every id in the list, under that id."""


def rubric(name: str) -> Rubric:
    """The rubric of units that ships under a name."""
    found = of_units()
    if name not in found:
        raise Problem("There is no unit rubric “{name}”.", name=name)
    return found[name]


def request(asked: Rubric, item: Item, units: Sequence[Unit]) -> Ask:
    """The request for a verdict on each unit; it is read as (score, reason, quote) by unit id.

    Of units that are pairs with a chunk, all must be of the same chunk.
    """
    criterion = asked.criteria[0]
    ids = {f"u{n}": unit for n, unit in enumerate(units, 1)}
    labels = {level.label or str(level.score): level.score for level in criterion.levels}
    meaning = {level.score: level.meaning.strip() for level in criterion.levels}
    meanings = "\n".join(f"{label}: {meaning[score]}" for label, score in labels.items())
    system = TASK.replace("$plural", asked.plural).replace("$question", criterion.question.strip())
    skeleton = {
        "verdicts": [{"id": "...", "reason": "...", "quote": "...", "verdict": "one of the labels"}]
    }
    text = {"type": "string"}
    items = strict(
        {
            "id": text | {"enum": list(ids)},
            "reason": text,
            "quote": text,
            "verdict": text | {"enum": list(labels)},
        }
    )
    said = {"reason": "…", "quote": "", "verdict": next(reversed(labels))}
    return Ask(
        name=asked.name,
        system=ask.system_message(system.replace("$meanings", meanings), skeleton),
        user=_user(asked, item, ids),
        form={"verdicts": {"type": "array", "items": items}},
        sample={"verdicts": [{"id": one, **said} for one in ids]},
        read=lambda reply: _read(reply, ids, labels),
    )


def _user(asked: Rubric, item: Item, ids: Mapping[str, Unit]) -> str:
    chunk = next(iter(ids.values())).position if "chunk" in asked.shown else None
    shown = ask.all_of(asked.shown, item, chunk)
    date = [("DATE", item.judge_date)] if item.judge_date else []
    code = tag(*(text for _, text in shown + date), *(unit.text for unit in ids.values()))
    listed = "\n".join(
        json.dumps({one: neutralised(unit.text)}, ensure_ascii=False) for one, unit in ids.items()
    )
    if date:
        date = ["Date as of which to check:", *ask.fenced(date, code)]
    return ask.user_message(
        code,
        *ask.fenced(shown, code),
        *date,
        f"The {asked.plural} to check:",
        fence("UNITS", listed, code),
    )


def _read(reply: Mapping[str, Any], ids: Mapping[str, Unit], labels: Mapping[str, int]):
    """(score, reason, quote) by unit id, of the units that have exactly one good verdict.

    Read as small models write it: ids as numbers, labels in another case, no reason or no quote. A
    verdict that is repeated with the same label counts once, marked in its reason. Two labels for
    one unit, another word and an id that was not asked say nothing; the units that are left are
    asked about again. A reply without any good verdict is Unreadable.
    """
    listed = reply.get("verdicts")
    if not isinstance(listed, list):
        raise Unreadable(
            "The reply contains no list of verdicts with id, reason, quote and verdict."
        )
    spelled, given = {_level(label): label for label in labels}, defaultdict(list)
    for one in listed:
        pairs = one.items() if isinstance(one, dict) else ()
        keys = {key.strip().lower(): value for key, value in pairs}
        name, label = (visible(str(keys.get(key, ""))).strip() for key in ("id", "verdict"))
        name = f"u{name}" if name.isascii() and name.isdigit() else name.lower()
        texts = (keys.get(key) for key in ("reason", "quote"))
        reason, quote = (visible(text) if isinstance(text, str) else "" for text in texts)
        given[name].append((spelled.get(_level(label)), reason.strip(), quote))
    found = {}
    for name, verdicts in given.items():
        label, reason, quote = verdicts[0]
        if name in ids and label and all(one[0] == label for one in verdicts):
            again = f" [given {len(verdicts)} times]" if len(verdicts) > 1 else ""
            found[ids[name].id] = labels[label], f"{reason}{again}".strip(), quote
    if not found:
        known = ", ".join(labels)
        raise Unreadable(f"The reply gives no verdict on what was asked that is one of {known}.")
    return found


def _level(label: str) -> str:
    """A label whatever its case and whatever joins its words."""
    return " ".join(re.split(r"[\s_-]+", label.casefold())).strip(" .")
