"""Response relevancy: whether the answer is one to this question, guessed back from the answer.

VERA's answer relevance is the same whether the answer avoids the question or not.


Requests for questions that a text would answer, and for a noncommittal verdict.

Pure. One request asks for all questions: repeating a request at low temperature returns the same
question several times.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any, NamedTuple

from concord.judges.prompting.delimiters import fence, tag
from concord.judges.prompting.request import strict
from concord.metrics.framework.metric import Canary, Example, Metric, Outcome, Switch
from concord.metrics.prompts.ask import Ask, Unreadable, system_message, user_message
from concord.metrics.prompts.inputs import Inputs, Undefined, Verdict, cosine
from concord.model import Item
from concord.text.display import visible

RUBRIC = "answer-commits"
AVOIDING, COMMITTED = 0, 1
NO_NUMBER = "Whether an answer avoids its question gives no metric value by itself."
# Questions that are this alike on average are one question asked several times.
THE_SAME = 0.98
AVOIDS = {
    "majority": lambda flags: 2 * sum(flags) > len(flags),
    "any": any,
    "all": all,
    "never": lambda flags: False,
}
COUNT = Switch(
    "questions",
    ("3", "1", "2", "4", "5"),
    "The number N of guessed questions; another number needs new requests.",
)

ANSWERED = Canary(
    "answers its question",
    worse="Copper roofs turn green because copper reacts with air and water.",
    question="When was the first of these races held?",
    answer="The first of these races was held on 15 January 1967.",
)


async def metric(item: Item, by: Inputs) -> Outcome:
    """The mean cosine of the question with questions guessed from the answer alone.

    Whether the answer avoids is a verdict on it, which annotators can give too; theirs is no
    number.
    """
    count, whole = int(by.switch(COUNT.name)), await by.units("answer")
    if by.labelled(RUBRIC, whole) is not None:
        raise Undefined("not_applicable", NO_NUMBER)
    came = await by.ask(request(item.answer, count))
    guesses = came[:count]
    avoiding = [guess.noncommittal for guess in guesses]
    score = AVOIDING if AVOIDS["majority"](avoiding) else COMMITTED
    why = f"Avoids {sum(avoiding)} of {len(guesses)} questions."
    await by.conclude(RUBRIC, whole, [Verdict(score, why)])
    if by.switch("unclear") == "dropped" and any(guess.clear for guess in guesses):
        guesses = [guess for guess in guesses if guess.clear]
    asked, *vectors = await by.embed([item.question, *(guess.question for guess in guesses)])
    alike = fmean(cosine(asked, vector) for vector in vectors)
    flags = [guess.noncommittal for guess in guesses]
    by_policy = {name: 0.0 if avoids(flags) else alike for name, avoids in AVOIDS.items()}
    pairs = [cosine(one, other) for one, other in combinations(vectors, 2)]
    caveats = {
        "noncommittal": any(flags),
        "one question only": pairs and fmean(pairs) >= THE_SAME,
        "fewer questions": len(came) < count,
        "more questions": len(came) > count,
    }
    return Outcome(
        by_policy[by.switch("noncommittal")],
        reason="Guessed: " + " / ".join(guess.question for guess in guesses),
        parts=by_policy | {"likeness of the questions": fmean(pairs) if pairs else None},
        flags=tuple(flag for flag, holds in caveats.items() if holds),
        units=len(guesses),
    )


def _example(value: float, why: str, cosines: Sequence[float], avoiding: int = 0) -> Example:
    """A worked example of three guesses; the first so many find the answer avoiding."""
    asked = "When does the museum open?"
    guesses = ("When does it open?", "From when is it open?", "On which days?")
    came = [
        {"question": guess, "clear": True, "noncommittal": number < avoiding}
        for number, guess in enumerate(guesses)
    ]
    vectors = {
        guess: [alike, (1 - alike**2) ** 0.5] for guess, alike in zip(guesses, cosines, strict=True)
    }
    return Example(
        value,
        why,
        question=asked,
        answer="At nine, on most days.",
        replies={"questions": {"questions": came}},
        vectors={asked: [1, 0], **vectors},
    )


METRIC = Metric(
    name="response_relevancy",
    title="Response relevancy",
    sentence="Does the answer address the question, whether or not it is true?",
    formula="mean of cosine(question, question guessed from the answer) over N guesses; 0 where "
    "the answer avoids answering",
    needs=("question", "answer"),
    metric=metric,
    source="RAGAS 2023",
    low=-1.0,
    embeds=True,
    switches=(
        Switch(
            "noncommittal",
            tuple(AVOIDS),
            "How many guesses must find the answer noncommittal for the value to be 0.",
        ),
        Switch("unclear", ("kept", "dropped"), "Whether unclear guesses count."),
        COUNT,
    ),
    rubrics=(RUBRIC,),
    by_rule=True,
    when_low="Instruct the answering model to answer directly.",
    others="RAGAS sends one request three times near temperature 0 and mostly gets one "
    "question; here one request asks for N different ones. In RAGAS one noncommittal "
    "guess made the value 0, since 0.3.6 all must.",
    example=_example(
        0.8,
        "cosines 0.9, 0.8 and 0.7; one guess of three finds the answer noncommittal, no majority: "
        "0.8",
        (0.9, 0.8, 0.7),
        avoiding=1,
    ),
    canaries=(
        Canary(
            "says it does not know, in Chinese",
            right=(0, 0),
            question="博物馆几点开门？",
            answer="对不起，我不知道，无法回答这个问题。",
        ),
        ANSWERED,
        Canary(
            "answers its question, in Chinese",
            worse="停车场每小时收费五元，周末免费。",
            question="什么是关系数据库？",
            answer="关系数据库是用表来存放数据的系统。它用键把不同的表连起来，并用查询语言取数据。",
        ),
    ),
)

VERA_ANSWER_RELEVANCE = METRIC._replace(
    name="vera_answer_relevance",
    title="Answer relevance",
    sentence="How similar is the question to questions guessed from the answer?",
    formula="mean of cosine(question, question guessed from the answer) over N guesses",
    source="VERA (2024)",
    switches=(
        Switch(
            "noncommittal",
            ("never", "majority", "any", "all"),
            "How many guesses must find the answer noncommittal for the value to be 0.",
        ),
        *METRIC.switches[1:],
    ),
    others="VERA says “several” questions; three here. It states a range of 0 to 1, but a "
    "cosine can be negative.",
    example=_example(0.85, "cosines 0.95, 0.82 and 0.78: their mean is 0.85", (0.95, 0.82, 0.78)),
    canaries=(
        ANSWERED,
        Canary(
            "answers its question, in Korean",
            worse="고양이는 하루의 대부분을 잠으로 보냅니다.",
            question="주차장 요금은 얼마인가요?",
            answer="주차장 요금은 한 시간에 이천 원입니다.",
        ),
    ),
)


TASK = """\
You are given an answer without its question. Write the $count questions that it answers best.

$material

# What to write
- Each question is one that a user might ask and that this answer answers. Each is about a \
different part or aspect of the answer, if it has several.
- In the language of the answer.
- clear: whether the question can be understood on its own and asks for one thing.
- noncommittal, for each question separately: whether the answer avoids answering it, says that it \
does not know, or stays too vague to be of use."""


class Guess(NamedTuple):
    """One question that an answer may have been given to."""

    question: str
    clear: bool
    noncommittal: bool


def request(answer: str, count: int) -> Ask:
    """The request for so many questions; read as a list of guesses, blank questions left out."""
    code = tag(answer)
    skeleton = {"question": "...", "clear": "true or false", "noncommittal": "true or false"}
    guess = {"question": "(question)", "clear": True, "noncommittal": False}
    kinds = {"question": "string", "clear": "boolean", "noncommittal": "boolean"}
    items = strict({key: {"type": kind} for key, kind in kinds.items()})
    return Ask(
        name="questions",
        system=system_message(TASK.replace("$count", str(count)), {"questions": [skeleton]}),
        user=user_message(code, fence("ANSWER", answer, code)),
        form={"questions": {"type": "array", "items": items}},
        sample={"questions": [guess] * count},
        read=_guesses,
    )


def _guesses(reply: Mapping[str, Any]) -> list[Guess]:
    given = reply.get("questions")
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise Unreadable("The reply contains no list of questions.")
    guesses = [_guess(one) for one in given]
    found = [guess for guess in guesses if guess.question]
    if not found:
        raise Unreadable("The reply contains no question.")
    return found


def _guess(given: Mapping[str, Any]) -> Guess:
    question, clear, avoids = (given.get(key) for key in ("question", "clear", "noncommittal"))
    if not (isinstance(question, str) and isinstance(clear, bool) and isinstance(avoids, bool)):
        raise Unreadable("A question lacks its text, clear or noncommittal.")
    return Guess(visible(question).strip(), clear, avoids)
