"""Old and new names of JSON keys, and reading old documents by them.

New output has the new names only. Documents stored or written earlier are read through `renamed`:
looks at decisions, certificates, and `--json` output. docs/command-line.md lists the table.
"""

from typing import Any

RENAMED = {
    "apart": "points_apart",
    "aside": "excluded_grades",
    "caught": "failure_recall",
    "constant_baseline": "majority_baseline",
    "cut": "threshold",
    "cuts": "thresholds",
    "dear": "expensive",
    "fitted_cuts": "fitted_thresholds",
    "items_told": "items_extended",
    "measure": "metric",
    "measures": "metrics",
    "nobody": "unassigned",
    "not_run": "skipped_analyses",
    "passed_over": "excluded",
    "people": "annotators",
    "people_agreement": "annotator_agreement",
    "people_bias": "annotator_bias",
    "people_per_answer": "annotators_per_answer",
    "people_reasons": "annotator_reasons",
    "people_rubric": "annotator_rubric",
    "people_scale": "annotator_scale",
    "people_share": "annotator_share",
    "people_slope": "annotator_slope",
    "people_spread": "annotator_spread",
    "person": "annotator",
    "person_score": "annotator_score",
    "plain_people": "plain_annotators",
    "predicts": "validity",
    "probes": "bias_tests",
    "rank_given_people": "rank_given_annotators",
    "role": "split",
    "second_grader": "second_annotator",
    "simulated_people": "simulated_annotators",
    "stands_out": "significant",
    "steadiness": "test_retest",
}


# Splits of questions, which are values of `split`.
SPLIT_NAMES = {"examples": "few-shot", "sealed": "held-out"}
# Reasons for answers left out of a row, which are keys with counts in `left_out`.
REASONS = {"sealed": "in the held-out test"}
# Objects whose keys are a user's: criteria, judges, annotators, reasons.
OF_USERS = {"scores", "verdicts", "left_out", "uncounted"}


def renamed(document: Any, names: dict[str, str] = RENAMED) -> Any:
    """Return a JSON document with new names for old ones, at any depth."""
    if isinstance(document, dict):
        return {
            names.get(key, key): _reasons(value)
            if key == "left_out"
            else SPLIT_NAMES.get(value, value)
            if key in ("role", "split") and isinstance(value, str)
            else renamed(value, {} if key in OF_USERS else names)
            for key, value in document.items()
        }
    if isinstance(document, list):
        return [renamed(one, names) for one in document]
    return document


def _reasons(left_out: Any) -> Any:
    """Rename reasons with a count; a judge's label, which has a text, may be any word."""
    if not isinstance(left_out, dict):
        return left_out
    return {
        REASONS.get(key, key) if isinstance(value, int) else key: value
        for key, value in left_out.items()
    }
