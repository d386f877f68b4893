"""Reasons: why a figure is undefined or has no interval, each with a code that stays.

A reword changes the sentence of a code; a code is never used for another reason.
"""

from collections.abc import Mapping
from functools import cache
from string import Formatter
from typing import Any

SENTENCES = {
    "all_fail": "annotators fail every {unit}",
    "all_pass": "annotators pass every {unit}",
    "answers_and_scores_equal": "no variation: the figure needs {units} and scores that differ",
    "answers_not_independent": (
        "several {units} share a question, so they are not independent: the sign flip of "
        "question sums is the test"
    ),
    "bias_between_annotators": "between annotators there is no one side to be biased",
    "components_not_identified": "the {units} that graders share do not tell the parts apart",
    "composite_constant": "no variation: annotators gave every {unit} the same composite",
    "confusion_matrix_singular": (
        "the judge hardly tells some scores apart (the confusion matrix is near singular), so "
        "its scores do not say how the annotators' are spread"
    ),
    "continuous_grades": (
        "the grades are continuous numbers, which are hardly ever equal to a score of the scale"
    ),
    "continuous_grades_need_cut": "continuous numbers pass or fail only by a threshold",
    "difference_impossible": (
        "the formula gives a difference beyond 100 points, so these error rates do not carry over"
    ),
    "error_rates_impossible": (
        "the share the judge passes cannot come from these error rates, so they do not carry over"
    ),
    "exact_fit": "the {units} lie on one line, so they cannot show its error",
    "fail": "fail",
    "half_that_chooses": "the half of the questions that choose the threshold",
    "half_that_judges": "the half of the questions that test the threshold",
    "held_at_end": "held at {end:.0f}, since the formula gives {value:.3f}",
    "incomplete_scores": (
        "it takes every grader's score of every {unit}; {units} that lack one: {n}"
    ),
    "judge_at_chance": (
        "the judge tells passing from failing {units} no better than chance (sensitivity plus "
        "specificity at most 1)"
    ),
    "judge_constant": "the judge gives one score only, so there is nothing to map",
    "judge_near_chance": (
        "the judge tells passing from failing {units} too badly: sensitivity plus specificity "
        "less 1 is under {floor}, so every error is multiplied by more than 3"
    ),
    "judge_scores_too_rare": (
        "there are no two groups of {n} {units} with different scores by the judge"
    ),
    "lengths_equal": "all {units} are of one length",
    "map_constant": "it turns every score into one, at least without some questions",
    "mean_at_end_of_scale": (
        "the mean is at the end of the scale or beyond, where it has no interval"
    ),
    "mean_of_n": "interval of a mean of {n}",
    "means_only": "means alone have no interval",
    "metric_constant": "no variation: the metric gives every {unit} the same number",
    "metric_two_valued": "the metric gives two numbers only, so there is no threshold to choose",
    "models_tied": "one of the graders has all models level",
    "no_answer_with_value": "no {unit} has a number",
    "no_checked_verdict": "none has been confirmed or overturned yet",
    "no_discordant_answer": "there is no {unit} on which only one of the two is right",
    "no_failing_answer": "annotators failed no {unit}",
    "no_passing_answer": "annotators passed no {unit}",
    "no_failing_verdict": "the judge failed nothing that annotators graded",
    "no_forecast": "nothing can be forecast",
    "no_forecast_from_pilot": "a pilot forecasts nothing",
    "no_interval": "there is no interval",
    "no_interval_of_graded": "graded by annotators there is no interval",
    "no_judged_answer": "the judge graded none of these {units}",
    "no_reliability_of_mean": (
        "the graders differ so much that the mean of their scores has no reliability to speak of"
    ),
    "no_repeated_answer": "no {unit} was graded twice",
    "no_resamples": "none are drawn again",
    "no_scored_answer": "no {unit} is scored",
    "no_rest_of_segments": "the other {units} are not compared",
    "no_segment_figure": "a segment has no figure",
    "no_shared_answer": "there is no {unit} to compare on",
    "no_shared_question": "there is no question to compare on",
    "no_strictness_variance": "no difference in strictness between graders was found",
    "no_value": "there are no values to resample",
    "no_variation": "no variation",
    "not_for_composites": (
        "two weighted means are hardly ever equal, so it does not count on a composite"
    ),
    "nothing_to_compare": "there is nothing to compare",
    "nothing_to_count": "there is nothing to count",
    "off_the_range": (
        "the judge's numbers run from {low:g} to {high:g}, beyond the scale of {first} to {last}"
    ),
    "one_answering_model": "annotators graded {units} of one answering model only",
    "one_segment": "all {units} are in one segment",
    "one_side_constant": "no variation: one of the two is the same on every {unit}",
    "one_side_empty": "it takes {units} on both sides",
    "one_side_unscored": "no {unit} of one of them is scored",
    "pass": "pass",
    "pass_and_fail": "pass and fail",
    "plan_below_limit": "the planned figure does not lie above the limit",
    "questions_and_answers_confounded": (
        "every question has one {unit}, so the two cannot be distinguished"
    ),
    "questions_equal": "the questions do not differ in this figure, so they cannot show its error",
    "resampled_ties": "resampled orders are level too often",
    "score_too_rare": (
        "annotators gave one of the scores to fewer than {n} {units} that the judge graded"
    ),
    "scores_equal": "no variation: the figure needs scores that differ",
    "scores_equal_or_single": "no variation, or no {unit} with two scores",
    "share_clipped": (
        "a share of them is held at 0 or 100 percent, where the formula goes beyond, so their "
        "difference by the formula is not that of the shares shown"
    ),
    "thresholds_agree": "both thresholds give every {unit} the same verdict",
    "too_few_annotators_or_items": "it takes {annotators} annotators with {items} items each that "
    "others graded too",
    "too_few_answering_models": "there are no two answering models",
    "too_few_answering_models_for_tau": "under {n} answering models there is no tau-b",
    "too_few_answers_for_auc": "under {n} {units} there is no AUC",
    "too_few_answers_for_rank_correlation": "under {n} {units} there is no rank correlation",
    "too_few_answers_for_threshold": (
        "{n} {units} have a number and a grade; a threshold takes {least}"
    ),
    "too_few_answers_for_weights": (
        "{n} {units} have annotators' composite and every metric; it takes {least} for {metrics}"
        " metrics"
    ),
    "too_few_graded_questions": "annotators graded {units} to under {n} questions",
    "too_few_graders_or_answers": "it takes two graders and two {units}",
    "too_few_labels": "under {n} {units} graded by annotators in the sample",
    "too_few_of_a_class": "{graders} {verb} {n:.3g} of the {units}; it takes {least}",
    "too_few_of_a_class_in_half": "of {half} {graders} {verb} {n:.3g} {units}; it takes {least}",
    "too_few_of_a_graded_class": "annotators {verb} fewer than {n} {units} that the judge graded",
    "too_few_own_or_other_answers": "it takes {n} {units} by its own family and {n} by others",
    "too_few_pairs": "under {n} pairs there is no chance-corrected figure",
    "too_few_questions": "under {floor} questions (those of one document count as one) {then}",
    "too_few_questions_for_map": (
        "under {n} questions that both graded there is nothing to learn a map from"
    ),
    "too_few_questions_for_test": "it takes {n} questions",
    "too_few_questions_for_weights": (
        "under {least} questions weights cannot be tested on others ({n} here)"
    ),
    "too_few_repeated_answers": (
        "under {n} {units} graded twice there is no chance-corrected figure"
    ),
    "too_few_replies": "no {unit} has two replies then and one now",
    "too_few_shared_answers": "it takes {n} {units} that both judge and annotators scored",
    "too_many_values_for_ranks": (
        "so many different numbers occur on both sides that their ranks are not compared"
    ),
    "too_little_shared_grading": (
        "it takes two graders, some {units} that two of them scored, and two questions"
    ),
    "two_level": "two-level",
    "two_point_scale_off_by_two": "on a scale of two no score is off by two",
    "two_point_scale_within_one": "on a scale of two any two scores are within one",
    "undefined_in_pilots": "the figure is undefined in {lost} of {n} pilots",
    "undefined_in_resamples": "the figure is undefined in {lost} of {n} resamples",
    "undefined_without_a_question": "the figure is undefined when one of the questions is left out",
    "values_equal": "no variation: every number is the same",
}


class Term(str):
    """An English text that keeps its template and values, so that it can be translated.

    It has the interface of `concord.messages.Said`, which this package does not import.
    """

    template: str
    values: Mapping[str, Any]
    between, plural = "", ""

    def __new__(cls, template: str, values: Mapping[str, Any]) -> "Term":
        """The template, filled."""
        made = super().__new__(cls, template.format(**values) if values else template)
        made.template, made.values = template, values
        return made

    def with_values(self, values: Mapping[str, Any]) -> "Term":
        """Return the same text with other values."""
        return Term(self.template, values)

    def __getnewargs__(self) -> tuple[str, Mapping[str, Any]]:
        return self.template, self.values

    def __str__(self) -> str:
        return self


class Reason(Term):
    """A reason: a sentence, and the code that stays when the sentence is reworded."""

    code: str

    def __new__(cls, code: str, values: Mapping[str, Any]) -> "Reason":
        """The reason of a code, its sentence filled with values and else with `NOUNS`."""
        made = super().__new__(cls, SENTENCES[code], _nouns(code) | dict(values))
        made.code = code
        return made

    def with_values(self, values: Mapping[str, Any]) -> "Reason":
        """Return the same reason with other values."""
        return Reason(self.code, values)

    def __getnewargs__(self) -> tuple[str, Mapping[str, Any]]:
        return self.code, self.values


def term(template: str, /, **values: Any) -> Term:
    """Return a name or title of a statistic."""
    return Term(template, values)


# What a sentence calls a graded thing and those who graded it. A report of units, or of simulated
# annotators, gives its own nouns to the reason (`concord.messages.with_nouns`).
NOUNS = {"unit": term("answer"), "units": term("answers"), "graders": term("annotators")}


@cache
def _nouns(code: str) -> dict[str, Term]:
    """Return the nouns that the sentence of a code has a place for."""
    places = {name for _, name, _, _ in Formatter().parse(SENTENCES[code])}
    return {name: noun for name, noun in NOUNS.items() if name in places}


def reason(code: str, /, **values: Any) -> Reason:
    """Return the reason of a code; values that are reasons are parts of its sentence."""
    return Reason(code, values)


def under(floor: int, then: str) -> Reason:
    """Return the reason for too few questions; `then` says what they are too few for.

    What is counted and resampled is clusters, and those are documents. A sheet may hold more
    questions than the floor and still be refused, so the sentence says that those of one document
    count as one.
    """
    return reason("too_few_questions", floor=floor, then=then)
