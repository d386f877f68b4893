from dataclasses import replace

import pytest

from concord.language.languages import shown
from concord.reports.agreement import agreement, document
from concord.reports.agreement.headline import best, finding, headline
from concord.reports.agreement.rows import (
    AboveBaseline,
    MajorityBaseline,
    WithoutConsensus,
    WorstCase,
)
from concord.reports.panel.unit_words import UnitWords
from concord.rubrics import fit
from concord.sampling import split_assignment, splits
from concord.store import additions, graders, items, sheets
from concord.store.kept_results import state_key
from concord.store.rubrics import rubric_versions
from tests.support.agreement_rows import ceiling, figure, row, statistics
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel


def test_the_best_judge_on_the_heaviest_criterion(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {n: 3 for n in range(4)})
    judge(store, doc_qa, "good", {0: 3, 1: 3, 2: 3, 3: 0})
    judge(store, doc_qa, "bad", {n: 0 for n in range(4)})
    found = headline(store, sheet, doc_qa)
    assert (found.judge, found.criterion, found.n) == ("good", "correctness", 4)
    assert found.exact.value == 3 / 4
    assert found.sentence() == "75%"


def test_a_judge_that_scored_the_easy_answers_alone_does_not_lead(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {n: 3 if n < 4 else 0 for n in range(8)})
    judge(store, doc_qa, "whole", {n: 3 if n < 6 else 0 for n in range(8)})
    judge(store, doc_qa, "easy", {n: 3 for n in range(4)})
    assert (headline(store, sheet, doc_qa).judge, best(panel(store, doc_qa)).judge) == (
        "whole",
    ) * 2
    told = document.document(agreement.report(panel(store, doc_qa)), doc_qa).headline
    assert told.startswith("whole is not clearly better")


def test_the_criterion_is_named_in_the_language_of_the_reader_and_by_its_key_in_files(
    store, sheet, doc_qa
):
    give(store, doc_qa, "Ana", {n: 3 for n in range(4)})
    judge(store, doc_qa, "good", {n: 3 for n in range(4)})
    found = document.document(agreement.report(panel(store, doc_qa)), doc_qa)
    assert "correctness" in found.headline and "正确性" in shown(found.headline, "zh")
    column = [one.title for one in found.tables[0].columns].index("criterion")
    cells = [row[column] for row in found.tables[0].rows]
    assert cells == ["correctness", "comprehensiveness", "readability"]
    assert [shown(one, "zh") for one in cells] == ["正确性", "全面性", "可读性"]


def test_a_ceiling_of_fewer_answers_says_on_how_many(doc_qa):
    found = finding(replace(row(found=EXACT), ceiling=ceiling(60, statistics(0.86))), doc_qa)
    assert "Inter-annotator agreement: 86% on 60 of 240 answers. Majority-class" in found.facts[0]


@pytest.mark.parametrize(("baseline", "is_named"), [(0.95, True), (0.76, False)])
def test_a_judge_below_the_floor_says_so(doc_qa, baseline, is_named):
    mine = row(found=EXACT)
    floor = replace(row(found=statistics(baseline)), judge="baseline", floor=True)
    facts = finding(mine, doc_qa, [mine, floor]).facts
    said = "Below the floor: the baseline has 95% on 240 answers."
    assert (said in facts) is is_named
    assert said not in finding(floor, doc_qa, [mine, floor]).facts


def test_the_floor_is_told_only_where_it_is_alone(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {0: 3})
    judge(store, doc_qa, "baseline", {0: 3})
    assert best(panel(store, doc_qa)).judge == "baseline"
    judge(store, doc_qa, "bad", {0: 0})
    assert best(panel(store, doc_qa)).judge == "bad"


def test_nothing_to_tell_where_no_answer_is_shared(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {0: 3})
    judge(store, doc_qa, "gpt", {1: 3})
    assert headline(store, sheet, doc_qa) is None


def test_without_grades_of_both_on_the_heaviest_criterion_the_next_one_counts(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {0: 3, 1: 2})
    give(store, doc_qa, "Ana", {0: 3, 1: 2}, criterion="readability")
    judge(store, doc_qa, "gpt", {0: 3, 1: 0}, criterion="readability")
    found = headline(store, sheet, doc_qa)
    assert (found.judge, found.criterion, found.n) == ("gpt", "readability", 2)


def test_whatever_is_simulated_says_so(sample_store):
    rubric = rubric_versions.named(sample_store, "doc-qa-0-3")[1]
    found = headline(sample_store, sheets.find(sample_store, "sample"), rubric)
    assert found.judge == "simulated-careful-judge"
    assert found.sentence() == "75% [69, 80] (simulated)" and found.of == 3


def _grade(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {1: 2})


def _judge(store, sheet, doc_qa):
    judge(store, doc_qa, "gpt", {1: 2})


def _rename(store, sheet, doc_qa):
    graders.rename(store, graders.named(store, "person", "Ana").id, "Anna")


def _delete(store, sheet, doc_qa):
    graders.delete(store, graders.named(store, "person", "Ana").id)


def _assign(store, sheet, doc_qa):
    split_assignment.assign(store, [splits.of_sheet(store, sheet.id)[0]["id"]], "held-out", "kept")


def _import(store, sheet, doc_qa):
    additions.add(store, sheet.name, [made_item(99)], "more.csv", "1" * 64, {})


def _adjudicate(store, sheet, doc_qa):
    with store.write():
        store.insert(
            "adjudications",
            item_id=items.item_ids(store, sheet.id)[0],
            version=doc_qa.versions()["correctness"],
            score=1,
            triggered_by="people",
            blind=1,
            created_at="2026-01-01",
        )


@pytest.mark.parametrize(
    "change", [_grade, _judge, _rename, _delete, _assign, _import, _adjudicate]
)
def test_the_state_changes_with_whatever_a_report_reads(store, sheet, doc_qa, change):
    give(store, doc_qa, "Ana", {0: 2})
    before = state_key(store, sheet)
    assert state_key(store, sheet) == before
    change(store, sheets.find(store, sheet.name), doc_qa)
    assert state_key(store, sheets.find(store, sheet.name)) != before


EXACT = statistics(0.5, exact=figure(0.83, 0.77, 0.88))
ANNOTATORS = ceiling(240, statistics(0.86))
UNKNOWN = ceiling(0, statistics(None, "no answer was graded blind by two annotators"))
CLAIMS = UnitWords("claim", "claims", "Supported")
CLAIM_RUBRIC = fit.new_rubric(["Supported"], (0, 1)).model_copy(update={"units": "claims"})
SHARED = (
    "83% [77, 88] exact agreement on 240 answers, compared with annotators. "
    "Inter-annotator agreement: 86%. Majority-class baseline: 70%. 95% CIs are in brackets."
)


def beside(judge: str, annotators: str = "clear") -> MajorityBaseline:
    """The baseline with the states of the judge and of the annotators compared with it."""
    states = (AboveBaseline(state, figure(0.02)) for state in (judge, annotators))
    return MajorityBaseline(None, row().majority_baseline.values, *states)


HEADLINES = {
    "several annotators": ({}, "gpt has 83% exact agreement on correctness"),
    "consensus": ({"reference": "consensus"}, "gpt has 83% exact agreement on correctness"),
    "units": (
        {"units": CLAIMS, "criterion": "supported"},
        "gpt has 83% exact agreement on “Supported”",
    ),
    "near-constant": (
        {"majority_baseline": beside("open")},
        "gpt is not clearly better than always giving 3 on correctness",
    ),
    "below the baseline": (
        {"majority_baseline": beside("fails")},
        "gpt is worse than always giving 3 on correctness",
    ),
    "no assay sensitivity": (
        {"majority_baseline": beside("clear", "open")},
        "Exact agreement gives no verdict on correctness",
    ),
    "simulated": (
        {"judge": "careful", "simulated": True},
        "careful (simulated) has 83% exact agreement on correctness",
    ),
    "nothing to compare": (
        {"n": 0, "units": CLAIMS, "criterion": "supported"},
        "gpt and annotators have graded no claim in common on “Supported”",
    ),
}


@pytest.mark.parametrize(("changes", "said"), HEADLINES.values(), ids=HEADLINES)
def test_the_headline_is_exact_agreement_with_what_it_is_compared_with(changes, said, doc_qa):
    found = row(found=EXACT, **{"ceiling": ANNOTATORS} | changes)
    rubric = CLAIM_RUBRIC if found.units else doc_qa
    assert finding(found, rubric).headline == said


def test_a_criterion_whose_name_says_nothing_is_called_by_its_title():
    rubric = fit.new_rubric(["忠实度", "overall_quality"], (0, 1))
    first, second = (row(found=EXACT, criterion=one.name) for one in rubric.criteria)
    assert finding(first, rubric).headline.endswith(" on “忠实度”")
    assert finding(second, rubric).headline.endswith(" on overall quality")


WORST = WorstCase(240, 12, 0, {"exact": figure(0.79, 0.73, 0.84)})
FACTS = {
    "nothing more": ({}, []),
    "consensus": (
        {"reference": "consensus"},
        [
            SHARED.replace("annotators.", "the annotators' consensus."),
            "Here inter-annotator agreement is that of each annotator with the consensus of the "
            "others.",
        ],
    ),
    "units": ({"units": CLAIMS}, [SHARED.replace("answers", "claims")]),
    "one annotator": (
        {"annotators": 1, "ceiling": UNKNOWN},
        [SHARED.replace("86%", "unknown")],
    ),
    "no interval": (
        {"statistics": statistics(0.5, exact=figure(0.83))},
        [SHARED.replace(" [77, 88]", "").removesuffix(" 95% CIs are in brackets.")],
    ),
    "what the judge left unscored": (
        {"worst_case": WORST},
        ["With 12 answers left unscored counted as errors, exact agreement is 79% [73, 84]."],
    ),
    "without consensus": (
        {"without_consensus": WithoutConsensus(1, 0.1)},
        ["Left out without a consensus: 1 answer (10% of those that annotators scored)."],
    ),
    "some are simulated": (
        {"annotators": 3, "simulated_annotators": ("a", "b")},
        ["2 of the 3 annotators are simulated."],
    ),
    "a warning": ({"note": "This sheet cannot."}, ["This sheet cannot."]),
    "nothing to compare": ({"n": 0, "annotators": 0}, []),
}


@pytest.mark.parametrize(("changes", "facts"), FACTS.values(), ids=FACTS)
def test_the_facts_say_what_limits_the_headline(changes, facts, doc_qa):
    made = replace(row(found=EXACT, ceiling=ANNOTATORS), **changes)
    said = any(fact.startswith("83%") for fact in facts)
    compared = [] if said or not made.n else [SHARED]
    assert [one for one in finding(made, doc_qa).facts if one] == compared + facts


def test_grades_that_were_not_blind_are_named_where_no_other_are_in_common(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {0: 2, 1: 3}, blind=False)
    judge(store, doc_qa, "gpt", {0: 2, 1: 3})
    found = agreement.report(panel(store, doc_qa)).rows
    (of_correctness,) = (one for one in found if one.criterion == "correctness")
    assert finding(of_correctness, doc_qa).headline == (
        "gpt has no answer in common with annotators who graded blind on correctness"
    )
