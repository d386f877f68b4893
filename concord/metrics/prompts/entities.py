"""Entities: the request for the names in a text, every form of a name given once.

Pure. The lists are frozen once per item and can be edited by people: a list of names is a matter
of judgement, and the recall of names is only as good as the lists.
"""

from concord.judges.prompting.delimiters import MATERIAL, fence, tag
from concord.metrics.prompts.ask import Ask, list_ask

TASK = f"""\
List the entities that a text names.

{MATERIAL}

# What an entity is
- People, organisations, places, works, products, laws, events, dates, amounts with their units, \
and technical terms that name one particular thing.
- Each entity once, in the fullest form that the text uses; its other forms follow in the same \
entry, separated by “ | ”, as in “World Health Organization | WHO”.
- In the language and spelling of the text. General words are not entities. A text without \
entities has an empty list."""


def request(part: str, passages: list[str]) -> Ask:
    """The request for the entities of some passages; read as entries of forms joined by “ | ”."""
    code = tag(*passages)
    numbers = range(1, len(passages) + 1) if len(passages) > 1 else [None]
    blocks = [fence(part, text, code, n) for n, text in zip(numbers, passages, strict=True)]
    user = [f"The code of this item is {code}.", *blocks]
    return list_ask("entities", TASK, user, ["(entity)"])
