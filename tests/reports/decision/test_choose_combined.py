"""What a look at a decision says of a combined judge."""

import pytest

from concord.judges.combined.run import run_combined
from concord.judges.definition.model import Judge
from concord.reports.decision.document import document
from concord.store import graders, sheets
from concord.store.rubrics import rubric_versions
from tests.support.reports.choices import chosen


@pytest.mark.parametrize("rule", ["ordinal", "mean"])
def test_of_a_fitted_rule_it_says_that_scores_are_cross_fitted_and_what_is_exported(
    store, close_judges, rule
):
    judge = Judge(
        name="jury", kind="combined", rubric=close_judges.name, members=("dear", "cheap"), rule=rule
    )
    sheet = sheets.chosen(store, None)
    run = run_combined(store, sheet, *rubric_versions.named(store, close_judges.name), judge)
    fit = graders.find(store, "judge", run.found.label).definition["fit"]
    looked = chosen(store, close_judges)
    said = [str(one) for one in document(looked).notes if "cross-fitted" in str(one)]
    label = next(one.judge for one in looked.judges if one.judge.startswith("jury"))
    if rule == "mean":
        assert (looked.refits, said) == ({}, [])
        return
    assert looked.refits == {label: fit["digest"]}
    assert said == [
        f"The scores of {label} are cross-fitted: each question by a fit to other questions. What "
        f"is exported is one full refit, frozen ({fit['digest']})."
    ]
