"""Response relevancy: whether the answer is one to this question, guessed back from the answer."""

from itertools import combinations
from statistics import fmean

from data.model import Item
from metrics.frame import questions
from metrics.frame.cosine import cosine
from metrics.frame.hand import Hand
from metrics.frame.measure import Measure, Outcome, Switch

COUNT = 3
# Questions that are this alike on average are one question asked several times.
THE_SAME = 0.98
AVOIDS = {
    "majority": lambda flags: 2 * sum(flags) > len(flags),
    "any": any,
    "all": all,
    "never": lambda flags: False,
}


async def measure(item: Item, by: Hand) -> Outcome:
    """The mean cosine of the question with questions guessed from the answer alone."""
    guesses = await by.ask(questions.request(item.answer, COUNT))
    if by.switch("unclear") == "dropped" and any(guess.clear for guess in guesses):
        guesses = [guess for guess in guesses if guess.clear]
    asked, *vectors = await by.embed([item.question, *(guess.question for guess in guesses)])
    alike = fmean(cosine(asked, vector) for vector in vectors)
    flags = [guess.noncommittal for guess in guesses]
    by_policy = {name: 0.0 if avoids(flags) else alike for name, avoids in AVOIDS.items()}
    pairs = [cosine(one, other) for one, other in combinations(vectors, 2)]
    return Outcome(
        by_policy[by.switch("noncommittal")],
        reason="Guessed: " + " / ".join(guess.question for guess in guesses),
        parts=by_policy | {"likeness of the questions": fmean(pairs) if pairs else None},
        flags=_flags(flags, pairs, len(guesses)),
        units=len(guesses),
    )


def _flags(avoids: list[bool], pairs: list[float], count: int) -> tuple[str, ...]:
    found = ["noncommittal"] if any(avoids) else []
    found += ["one question only"] if pairs and fmean(pairs) >= THE_SAME else []
    return tuple(found + (["fewer questions"] if count < COUNT else []))


MEASURE = Measure(
    name="response_relevancy",
    title="Response relevancy",
    sentence="Is the answer one to this question, whether it is true or not?",
    formula="mean of cosine(question, question guessed from the answer) over 3 guesses; 0 where "
    "the answer avoids answering",
    needs=("question", "answer"),
    measure=measure,
    source="RAGAS (Es et al. 2023); three questions in one request",
    low=-1.0,
    embeds=True,
    switches=(
        Switch(
            "noncommittal",
            tuple(AVOIDS),
            "How many of the guesses must find the answer avoiding, for the number to be 0.",
        ),
        Switch("unclear", ("kept", "dropped"), "Whether guesses that are unclear count."),
    ),
    when_low="Ask the answering model to answer directly and without what was not asked for.",
)
