"""Combined judges: a jury or a head over the stored grades of other judges, with its frozen fit."""

from collections.abc import Iterator
from typing import Literal, get_args

from pydantic import Field, model_validator

from concord.definitions import Frozen, digest
from concord.judges.definition.model import Judge
from concord.messages import said

Rule = Literal["majority", "mean", "weighted", "ordinal", "cut_points"]
RULES: tuple[Rule, ...] = get_args(Rule)
# Learnt from annotators' grades; the others are fixed beforehand.
FITTED: tuple[Rule, ...] = ("weighted", "ordinal", "cut_points")
RULE_WORDS: dict[Rule, str] = {
    "majority": "majority",
    "mean": "mean",
    "weighted": "weighted vote",
    "ordinal": "ordinal regression",
    "cut_points": "cut points",
}


class CriterionFit(Frozen):
    """The fit of a rule on one criterion: one step up the scale for each point passed.

    Attributes:
        version: The criterion version that it was fitted under.
        features: What the weighted sum is of: a member, or a criterion or metric of a member.
        weights: Of the features.
        points: Cut points on the weighted sum, not falling, one fewer than the scores.
        scores: Rising.
        answers: Number of graded answers that it was fitted to.
        clusters: Number of clusters of questions that these belong to.
    """

    version: str
    features: tuple[str, ...] = Field(min_length=1)
    weights: tuple[float, ...]
    points: tuple[float, ...]
    scores: tuple[int, ...] = Field(min_length=1)
    answers: int = Field(gt=0)
    clusters: int = Field(gt=0)

    @model_validator(mode="after")
    def _fits_together(self):
        if len(self.weights) != len(self.features) or len(self.points) != len(self.scores) - 1:
            raise ValueError("a feature has one weight, and n scores have n - 1 points")
        return self


class Fit(Frozen):
    """One fit to all graded questions, frozen in a judge file.

    Attributes:
        digest: Of the rest, so that no number of it can be changed unseen.
        questions: The questions it was fitted to, as `question_digest` gives them; no answer to one
            of these is scored.
        criteria: By name.
    """

    digest: str
    questions: tuple[str, ...]
    criteria: dict[str, CriterionFit] = Field(min_length=1)

    @model_validator(mode="after")
    def _is_unchanged(self):
        if self.digest != fit_digest(self.criteria, self.questions):
            raise ValueError("the numbers do not match the digest; freeze the judge again")
        return self


def frozen_fit(criteria: dict[str, CriterionFit], questions: tuple[str, ...]) -> Fit:
    """Return a fit with its digest."""
    return Fit(digest=fit_digest(criteria, questions), questions=questions, criteria=criteria)


def fit_digest(criteria: dict[str, CriterionFit], questions: tuple[str, ...]) -> str:
    """Return the digest of the numbers of a fit and of its questions."""
    numbers = {name: one.model_dump(mode="json") for name, one in criteria.items()}
    return digest({"criteria": numbers, "questions": sorted(questions)})


def question_digest(text_hash: str, cluster: str | None) -> str:
    """Return what tells a question in a frozen fit: hashes of its text and of its cluster."""
    return text_hash if cluster is None else f"{text_hash}:{digest(cluster)}"


class Combined(Judge, kind="combined"):
    """A judge that sends no request: it combines the stored grades of its members."""

    members: tuple[str, ...] | None = Field(None, title="Members")
    rule: Rule | None = Field(None, title="Rule")
    fit: Fit | None = None

    unused = frozenset({*Judge.model_fields} - {"name", "about", "edited_from", "kind", "rubric"})
    required = ("rubric", "rule", "members")
    written = ()
    asks_rubric = chats = batches = False
    computed = "concord.judges.combined"

    def title(self) -> str:
        """Return its rule."""
        return f"combined: {RULE_WORDS[self.rule]}"

    def faults(self) -> Iterator[str]:
        """Yield members that its rule cannot combine."""
        yield from super().faults()
        members = self.members or ()
        if len({*members}) < len(members) or self.name in members:
            yield "members: name the judges whose grades are combined, each once"
        if len(members) < (1 if self.rule in ("ordinal", "cut_points") else 2):
            yield said("members: {rule} takes at least two judges", rule=self.rule)
        if self.rule == "cut_points" and len(members) > 1:
            yield "members: cut_points reads the probabilities of one judge; name one"
        if self.fit and self.rule not in FITTED:
            yield said("fit: {rule} is not fitted; remove it", rule=self.rule)
