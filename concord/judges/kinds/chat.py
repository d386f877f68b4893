"""Chat models that grade by a rubric: criterion by criterion, or with one holistic grade."""

from collections.abc import Callable, Iterator, Sequence
from string import Template
from typing import Any

from concord.judges.definition.model import PLACEHOLDERS, RECIPES, Judge, Shot
from concord.judges.prompting import reply
from concord.judges.prompting.prompt import messenger
from concord.judges.prompting.reply import Verdict
from concord.judges.prompting.request import TOP_LOGPROBS, body, schema
from concord.messages import Problem, joined, said
from concord.model import Item
from concord.rubrics.model import Criterion, Rubric

TITLES = {
    "zero_shot": "zero-shot",
    "few_shot": "few-shot",
    "holistic": "holistic",
    "own": "custom prompt",
}


class Chat(Judge, kind="rubric"):
    """A chat model that is sent the rubric and an answer, and writes a grade for each criterion."""

    def title(self) -> str:
        """Return the kind of its prompt in words."""
        return TITLES[self.recipe()]

    def recipe(self) -> str:
        """Return the recipe of its prompt, or `own`."""
        return self.prompt if self.prompt in RECIPES else "own"

    def requester(
        self, rubric: Rubric, part: str, shots: Sequence[Shot]
    ) -> Callable[[Item], dict[str, Any]]:
        """Return the body of a request as a function of the item; the constant is built once."""
        chat = messenger(self, rubric, part, shots)
        form = schema(self.parts(rubric)[part], rubric.scale, self.confidence is not None)
        more = {"logprobs": True, "top_logprobs": TOP_LOGPROBS} if self.logprobs else {}
        constant = body(self, [], form) | more
        return lambda item: constant | {"messages": chat(item)}

    def read(
        self, completion: Any, criteria: Sequence[str], scale: Sequence[int]
    ) -> dict[str, Verdict]:
        """One verdict per criterion from a completion, decoded or as it was received."""
        return reply.of_chat(self, completion, criteria, scale)

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the prompt's placeholders, the examples or the probabilities."""
        yield from super().faults()
        if self.logprobs and self.confidence:
            yield "logprobs, confidence: a grade has one distribution; remove one"
        # A stated confidence is the probability of one score, which every rule reads as that score.
        if self.reading and not self.logprobs:
            yield "reading: a rule reads probabilities; set logprobs = true, or remove it"
        template, own = Template(self.prompt), self.recipe() == "own"
        if own and ("$" not in self.prompt or not template.is_valid()):
            yield said(
                "prompt: give one of {recipes}, or a text with {names}; a dollar sign itself is "
                "written $$",
                recipes=joined(", ", RECIPES),
                names=joined(", ", ("$" + name for name in PLACEHOLDERS)),
            )
            return
        used = {*template.get_identifiers()}
        if self.examples is not None and self.prompt != "few_shot" and "examples" not in used:
            yield "examples: the prompt shows none; use few_shot, or $examples in your own text"
        for name in sorted(used - {*PLACEHOLDERS}):
            yield said("prompt: there is no placeholder ${name}", name=name)
        for name in ("answer", "rubric"):
            if own and name not in used:
                yield said("prompt: ${name} is missing", name=name)


class Holistic(Chat, kind="holistic"):
    """A chat model that gives an answer one grade, by a rubric of one criterion."""

    def parts(self, rubric: Rubric) -> dict[str, tuple[Criterion, ...]]:
        """Return the one call; a Problem for a rubric of several criteria."""
        if len(rubric.criteria) != 1:
            raise Problem(
                "Judge {judge} is holistic and gives one grade, but rubric {rubric} has {n} "
                'criteria. Name a rubric with one criterion, or set kind to "rubric".',
                judge=self.name,
                rubric=rubric.name,
                n=len(rubric.criteria),
            )
        return super().parts(rubric)

    def faults(self) -> Iterator[str]:
        """Yield a prompt that asks for a grade by criterion."""
        yield from super().faults()
        if self.recipe() not in ("holistic", "own"):
            yield 'prompt: a holistic judge takes "holistic" or a text of your own'
