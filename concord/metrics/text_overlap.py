"""Metrics of the words and characters that an answer, or its contexts, share with the reference.

Of several reference answers the one with the highest value counts.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from concord.metrics.framework.metric import Example, Metric, Outcome, Switch, by_choice
from concord.metrics.prompts.inputs import Inputs, Undefined
from concord.model import Item
from concord.text import similarity
from concord.text.bleu import SMOOTHINGS, bleu
from concord.text.normal_form import normalised
from concord.text.overlap import chrf, rouge_l
from concord.text.tokens import STOPS, tokens

NEEDS = ("answer", "reference")
LETTERS = Switch(
    "letters",
    ("folded", "verbatim"),
    "Whether case, width and white space are normalised before characters are compared.",
)
EXACT_LETTERS = Switch(
    "letters",
    ("folded", "verbatim", "words"),
    "Whether case, width and white space are normalised, nothing is, or only words are compared.",
)
PRESENT_LETTERS = Switch(
    "letters",
    ("folded", "verbatim"),
    "Whether the reference must occur as whole words with case, width and white space "
    "normalised, or as an exact string, even within a word.",
)
LIKENESS = {"levenshtein": similarity.edit_likeness, "jaro": similarity.jaro}
DISTANCE = Switch(
    "distance",
    tuple(LIKENESS),
    "Whether inserted, deleted and replaced characters are counted (Levenshtein), or shared "
    "characters and their order (Jaro, designed for names).",
)
SMOOTHING = Switch(
    "smoothing",
    SMOOTHINGS,
    "What a length without a shared n-gram counts: half a match, halved each time; one match "
    "added; or none.",
)
FIGURES = ("precision", "recall", "f1")

_declared = partial(Metric, needs=NEEDS, asks=False)


def _figure(first: str) -> Switch:
    """The switch that says which figure of ROUGE-L is the metric; `first` is ours."""
    others = (one for one in reversed(FIGURES) if one != first)
    return Switch(
        "figure",
        (first, *others),
        "Which figure of ROUGE-L is the value; each is for the best reference.",
    )


FIGURE_OF_ANSWER, FIGURE_OF_CONTEXTS = _figure("f1"), _figure("recall")


def _whole(text: str) -> str:
    """A text as it is; '' for a blank one."""
    return text if text.strip() else ""


def _compared(
    by: Inputs,
    switches: Sequence[Switch],
    text: Any,
    references: Iterable[Any],
    number: Callable[[Any, list[Any], Mapping[str, str]], float],
) -> Outcome:
    """Return the outcome of `number` of a text and its references; Undefined without either."""
    known = [one for one in references if one]
    if not text or not known:
        what = "One of the texts is empty or has no words, so there is nothing to compare."
        raise Undefined("not_applicable", what)
    value, each = by_choice(switches, by, lambda chosen: number(text, known, chosen))
    return Outcome(value, parts=each, units=len(known))


def _best(number: Callable[[Any, Any, Mapping[str, str]], float]):
    """The greatest of `number` over the references."""
    return lambda text, references, chosen: max(number(text, one, chosen) for one in references)


def _pairwise(
    number: Callable[[Any, Any, Mapping[str, str]], float],
    *switches: Switch,
    read: Callable[[str], Any] = _whole,
):
    """Return a metric that takes the best of `number` over the references.

    `read` makes of a text what `number` compares; empty where there is nothing to.
    """

    async def metric(item: Item, by: Inputs) -> Outcome:
        texts = read(item.answer), map(read, item.reference)
        return _compared(by, switches, *texts, _best(number))

    return metric


def _as_chosen(text: str, chosen: Mapping[str, str]) -> str:
    """The text as the switch `letters` has it compared."""
    return text if chosen[LETTERS.name] == "verbatim" else normalised(text)


def _exact_match(answer: str, reference: str, chosen: Mapping[str, str]) -> float:
    if chosen["letters"] == "words":
        return float(tokens(answer) == tokens(reference))
    return float(_as_chosen(answer, chosen) == _as_chosen(reference, chosen))


def _string_presence(answer: str, reference: str, chosen: Mapping[str, str]) -> float:
    if chosen["letters"] == "verbatim":
        return float(reference in answer)
    sought = _as_chosen(reference, chosen).rstrip(STOPS + " ") or _as_chosen(reference, chosen)
    part, words = tokens(reference), tokens(answer)
    # In a run of tokens: “no” is not in “know”, 3 not in 3.5.
    starts = range(len(words) - len(part) + 1)
    whole = any(words[start : start + len(part)] == part for start in starts)
    return float(whole and sought in _as_chosen(answer, chosen))


def _edit_likeness(answer: str, reference: str, chosen: Mapping[str, str]) -> float:
    likeness = LIKENESS[chosen["distance"]]
    return likeness(_as_chosen(answer, chosen), _as_chosen(reference, chosen))


def _chrf(answer: str, reference: str, chosen: Mapping[str, str]) -> float:
    return chrf(_as_chosen(answer, chosen), _as_chosen(reference, chosen))


async def _bleu(item: Item, by: Inputs) -> Outcome:
    """BLEU of the answer, a corpus of one segment."""

    def number(text: Sequence[str], references: list, chosen: Mapping[str, str]) -> float:
        return bleu(text, references, chosen["smoothing"])

    texts = tokens(item.answer), map(tokens, item.reference)
    return _compared(by, [SMOOTHING], *texts, number)


def _rouge_l(text: Sequence[str], reference: Sequence[str], chosen: Mapping[str, str]) -> float:
    """One figure of ROUGE-L."""
    return rouge_l(text, reference)[FIGURES.index(chosen["figure"])]


async def _rouge_l_contexts(item: Item, by: Inputs) -> Outcome:
    """ROUGE-L of all contexts as one text, best first; `best_chunk` is the most that one gives."""
    chunks = [tokens(one.text) for one in sorted(item.contexts, key=lambda one: one.rank)]
    references, number = [*filter(None, map(tokens, item.reference))], _best(_rouge_l)
    whole = list(chain.from_iterable(chunks))
    found = _compared(by, [FIGURE_OF_CONTEXTS], whole, references, number)
    best = max(number(chunk, references, by.switches) for chunk in chunks)
    return found._replace(parts={**found.parts, "best_chunk": best}, units=len(chunks))


BLEU = _declared(
    name="bleu",
    title="BLEU of the answer",
    sentence="How many n-grams of one to four words does the answer share with the reference?",
    formula="brevity penalty x geometric mean over n = 1..4 of shared runs of n tokens / runs of "
    "the answer; penalty e^(1 - r/c) where the answer (c tokens) is shorter than the reference (r)",
    metric=_bleu,
    source="Papineni 2002",
    switches=(SMOOTHING,),
    when_low="Read some answers: a correct paraphrase also scores low.",
    others="RAGAS compares only the answer's first sentence, is case-sensitive and gives 0 to "
    "a text under four words; here the whole text is one segment, over the n-gram "
    "lengths that it has. Chinese, Japanese and Korean are tokenised by character.",
    example=Example(
        math.exp(-1),
        "every n-gram of the answer is in the reference, which is twice as long: e^(1 - 10/5) = "
        "0.368",
        answer="Berlin is Germany's largest city.",
        reference=["Berlin is Germany's largest city. It lies on the Spree."],
    ),
)

CHRF = _declared(
    name="chrf",
    title="chrF of the answer",
    sentence="How many n-grams of one to six characters does the answer share with the reference?",
    formula="P, R = mean share of shared character n-grams, n = 1..6, of the answer's and of the "
    "reference's; 5 x P x R / (4 x P + R)",
    metric=_pairwise(_chrf, LETTERS),
    source="Popović 2015",
    switches=(LETTERS,),
    when_low="Read some answers: a correct paraphrase also scores low.",
    others="RAGAS compares the texts as they are.",
    example=Example(
        175 / 594,
        "shared 1-grams 2 of 3 and 2 of 4, 2-grams 1 of 2 and 1 of 3, 3-grams 0: P = (2/3 + 1/2 + "
        "0) / 3 = 0.389, R = (2/4 + 1/3 + 0) / 3 = 0.278, F = 0.295",
        answer="abd",
        reference=["abce"],
    ),
)

EDIT_LIKENESS = _declared(
    name="edit_likeness",
    title="Edit similarity",
    sentence="How similar are the answer and the reference answer, character by character?",
    formula="1 - characters inserted, deleted or replaced / characters of the longer text",
    metric=_pairwise(_edit_likeness, DISTANCE, LETTERS),
    source="Levenshtein 1966, Jaro 1989",
    switches=(DISTANCE, LETTERS),
    when_low="Read some answers: a correct paraphrase also scores low.",
    others="RAGAS compares the texts as they are.",
    example=Example(
        33 / 37,
        "four of 37 characters differ: 1 - 4/37 = 0.892",
        answer="The Eiffel Tower is located in Paris.",
        reference=["The Eiffel Tower is located in India."],
    ),
)

EXACT_MATCH = _declared(
    name="exact_match",
    title="Exact match",
    sentence="Is the answer identical to a reference answer?",
    formula="1 where the answer equals a reference answer, else 0",
    metric=_pairwise(_exact_match, EXACT_LETTERS),
    source="RAGAS",
    switches=(EXACT_LETTERS,),
    when_low="Read some answers: a correct paraphrase also scores low.",
    others="RAGAS compares the texts as they are.",
    example=Example(1.0, "identical except for case: 1", answer="berlin", reference=["Berlin"]),
)

ROUGE_L = _declared(
    name="rouge_l",
    title="ROUGE-L of the answer",
    sentence="How much of the reference answer does the answer repeat in the same words and order?",
    formula="l = longest common subsequence of tokens; precision l / tokens of the answer, recall "
    "l / tokens of the reference, F1 = 2 x precision x recall / (precision + recall)",
    metric=_pairwise(_rouge_l, FIGURE_OF_ANSWER, read=tokens),
    source="Lin 2004",
    switches=(FIGURE_OF_ANSWER,),
    when_low="Read some answers: a correct paraphrase also scores low.",
    others="RAGAS reduces English words to stems. Its package keeps only Latin letters and "
    "digits: identical Chinese, Japanese or Korean texts score 0 there and 1 here.",
    example=Example(
        2 / 3,
        "three tokens in common: precision 3/3, recall 3/6, F1 = 2 x 1 x 0.5 / 1.5 = 0.667",
        answer="The cat sat.",
        reference=["The cat sat on the mat."],
    ),
)

ROUGE_L_CONTEXTS = _declared(
    name="rouge_l_contexts",
    title="ROUGE-L of the contexts",
    sentence="How much of the reference answer occurs in the retrieved contexts, in the same "
    "order?",
    formula="l = longest common subsequence of tokens of all contexts, best first, and of the "
    "reference; recall l / tokens of the reference; precision l / tokens of the contexts",
    needs=("retrieved", "contexts", "reference"),
    metric=_rouge_l_contexts,
    source="Lin 2004",
    switches=(FIGURE_OF_CONTEXTS,),
    when_low="Try hybrid search, other chunking or another embedding model.",
    others="The usual package keeps only Latin letters and digits.",
    example=Example(
        6 / 11,
        "six characters in common of the eleven of the reference: 6/11 = 0.545 (precision 6/19)",
        contexts=["法国位于西欧,与比利时、卢森堡、德国等国接壤..."],
        reference=["法国位于西欧,首都是巴黎。"],
    ),
)

STRING_PRESENCE = _declared(
    name="string_presence",
    title="String presence",
    sentence="Does the answer contain the reference answer?",
    formula="1 where the answer holds a reference answer, less its closing mark, in whole words; "
    "else 0",
    metric=_pairwise(_string_presence, PRESENT_LETTERS),
    source="RAGAS",
    switches=(PRESENT_LETTERS,),
    when_low="Read some answers: a correct paraphrase also scores low.",
    others="RAGAS compares the texts as they are.",
    example=Example(
        1.0,
        "the reference is the last word: 1",
        answer="The chemical formula for water is H2O.",
        reference=["H2O"],
    ),
)
