"""Kinds of units an item is decomposed into, by a rule or by a model, once for all graders.

Claims are statements that can be checked one by one, entities the names in a text with all forms of
each. Pure. The lists are frozen once per item, so that the verdicts of all judges and annotators
are on the same units, and can be edited by people.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from concord.judges.prompting.delimiters import fence, tag
from concord.metrics.prompts.ask import Ask, list_ask, user_message
from concord.model import Item
from concord.text.sentences import sentences


class Kind(NamedTuple):
    """One kind of unit: its noun, its source text, and how it is made.

    Exactly one of `rule` and `ask` is given; a reply to `ask` is read as the list of texts. `of` is
    `answer`, `reference`, `contexts` or `question`: the text that an annotator sees next to the
    units when checking them.
    """

    name: str
    plural: str
    of: str
    rule: Callable[[Item], Sequence[str]] | None = None
    ask: Callable[[Item], Ask] | None = None


def _chunks(item: Item) -> list[str]:
    return [context.text for context in sorted(item.contexts, key=lambda one: one.rank)]


def _reference(item: Item) -> str:
    """The first reference answer that is not empty: the one that claims are taken from."""
    return next(iter(_references(item)), "")


def _references(item: Item) -> list[str]:
    return [text for text in item.reference if text.strip()]


def flags(item: Item, kind: str) -> tuple[str, ...]:
    """Return the caveat that only the first of several reference answers was decomposed."""
    several = KINDS[kind].of == "reference" and len(_references(item)) > 1
    return ("first_reference_only",) if several else ()


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "claim",
            "claims",
            "answer",
            ask=lambda item: claims("ANSWER", item.question, item.answer),
        ),
        Kind(
            "reference_claim",
            "claims of the reference",
            "reference",
            ask=lambda item: claims("REFERENCE", item.question, _reference(item)),
        ),
        Kind(
            "fact",
            "facts",
            "answer",
            ask=lambda item: of_facts(item.question, item.answer, item.judge_date),
        ),
        Kind("answer", "answers", "answer", rule=lambda item: [item.answer]),
        Kind("chunk", "contexts", "contexts", rule=_chunks),
        Kind("sentence", "sentences", "answer", rule=lambda item: sentences(item.answer)),
        Kind(
            "reference_sentence",
            "sentences of the reference",
            "reference",
            rule=lambda item: sentences(_reference(item)),
        ),
        Kind(
            "context_sentence",
            "sentences of the contexts",
            "contexts",
            rule=lambda item: [one for text in _chunks(item) for one in sentences(text)],
        ),
        Kind(
            "reference_entity",
            "entities of the reference",
            "reference",
            ask=lambda item: request("REFERENCE", [_reference(item)]),
        ),
        Kind(
            "context_entity",
            "entities of the contexts",
            "contexts",
            ask=lambda item: request("CONTEXT", _chunks(item)),
        ),
    )
}


TASK = """\
List the entities that a text names.

$material

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
    return list_ask("entities", TASK, user_message(code, *blocks), ["(entity)"])


CLAIMS_TASK = """\
You split a text into claims. Each claim is checked separately, without seeing the text.

$material

# What a claim is
- One statement that can be true or false, in a full sentence. Two facts are two claims.
- It can be understood alone: names instead of pronouns, and the subject of the question named \
if the text omits it.
- It says no more and no less than the text. A number, date, condition or “not” of the text stays.
- It is written in the language of the text.
- Greetings, questions, offers of help, opinions about the question and statements that something \
is not known are not claims. A text with nothing to check has an empty list.

# Example
Text: “Yes. The museum opened in 1911 and, since the fire, is closed on Mondays.”
Claims: “The museum opened in 1911.” “The museum is closed on Mondays since the fire.”"""


def claims(part: str, question: str, text: str) -> Ask:
    """The request for the claims of an answer or a reference; read as the list of their texts."""
    code = tag(question, text)
    text_and_question = user_message(
        code,
        "The question, as context:",
        fence("QUESTION", question, code),
        "The text to split:",
        fence(part, text, code),
    )
    return list_ask("claims", CLAIMS_TASK, text_and_question, [text.strip() or "…"])


FACTS_TASK = """\
A user asked, and an assistant replied. List the facts in the assistant's reply that can be looked \
up. Each fact is looked up separately, by readers who have not seen the conversation.

$material

# What to list
- Facts about the world: who, what, when, where, how many. One fact per entry, in a full sentence \
with every name and date it needs to be found, in the language of the reply.
- No opinions, no advice, nothing the assistant says about itself or the conversation.
- Resolve relative times (“now”, “last year”) with the date if one is given; otherwise keep the \
words.
- A reply with nothing to look up has an empty list.

# Examples
Asked: “Who built the old harbour bridge?” Replied: “Anna Lind designed it, I believe; it opened \
in 1932 and was the longest of its time.” Facts: “Anna Lind designed the old harbour bridge.” “The \
old harbour bridge opened in 1932.” “The old harbour bridge was the longest bridge of its time \
when it opened in 1932.”

Asked: “Can you help me choose a phone?” Replied: “Gladly! What do you use it for, and how much \
would you like to spend?” The list is empty.

Asked: “富士山の高さは？” Replied: “3,776メートルです。登るなら夏がおすすめです。” Facts: \
“富士山の高さは3,776メートルである。”

Asked: “Did the band change?” Replied: “Yes, last year the drummer left and Mira Okafor came.” \
Date: 2021-05-02. Facts: “The band's drummer left in 2020.” “Mira Okafor came to the band in \
2020.”"""


def of_facts(question: str, answer: str, date: str = "") -> Ask:
    """The request for the facts of a reply; read as the list of their texts.

    `date` is the day on which the reply is taken to have been given; '' for none.
    """
    code = tag(question, answer, date)
    blocks = [fence("QUESTION", question, code), fence("ANSWER", answer, code)]
    blocks += [fence("DATE", date, code)] if date else []
    return list_ask("facts", FACTS_TASK, user_message(code, *blocks), [answer.strip() or "…"])
