"""Subsequence: ROUGE-L of texts against reference answers, with its three figures."""

from collections.abc import Sequence
from typing import NamedTuple

from concord.messages import said
from concord.metrics.framework.metric import Switch
from concord.metrics.prompts.inputs import Undefined
from concord.text.overlap import rouge_l
from concord.text.tokens import tokens

FIGURES = ("precision", "recall", "f1")


def figure(first: str) -> Switch:
    """The switch that says which figure of ROUGE-L is the metric; `first` is ours."""
    others = (one for one in reversed(FIGURES) if one != first)
    return Switch(
        "figure",
        (first, *others),
        said("Which figure of ROUGE-L counts; each is of the best reference."),
    )


class Compared(NamedTuple):
    """The references in tokens; at least one."""

    references: tuple[list[str], ...]

    def best(self, text: Sequence[str], figure: str) -> float:
        """Return a figure of a tokenised text against the reference with the highest one."""
        place = FIGURES.index(figure)
        return max(rouge_l(text, reference)[place] for reference in self.references)


def compared(references: Sequence[str], *texts: Sequence[str]) -> Compared:
    """The references, to compare texts with; Undefined where there are no words on either side."""
    worded = tuple(filter(None, map(tokens, references)))
    if not worded or not any(texts):
        raise Undefined(
            "not_applicable", said("One side has no words, so there is nothing to compare.")
        )
    return Compared(worded)
