"""What metrics gave on a sheet: n of N, why the others have no number, by answering model."""

import re

from concord import metrics
from concord.judges.metric_results import Rehearsal, rehearsed
from concord.metrics.framework.support import ALONE, CONTEXTS
from concord.metrics.selection import chosen
from concord.model import Context
from concord.reports import terminal
from concord.reports.metrics import metric_records as readings
from concord.reports.metrics import metrics as report
from concord.sampling import split_assignment
from tests.support.measured_sets import give_faithfulness
from tests.support.metrics_page import ANSWER, RAGAS_SET, page
from tests.support.source import ROOT


def text(store, sheet):
    """What the terminal shows of the metrics of a sheet."""
    found = readings.read(store, sheet)
    whole = report.report(store, sheet, found)
    return terminal.text(report.document(whole, found))


def test_every_mean_says_of_how_many_and_why_the_others_have_none(store, four):
    give_faithfulness(store, "v1", 1.0, 0.5, None)
    (row,) = report.rows(readings.read(store, four))
    assert (row.n, row.items, row.mean.value) == (2, 4, 0.75)
    assert (row.left_out, row.not_asked) == ({"refused": 1}, 1)
    assert (row.questions, row.mean.low) == (1, None)
    assert (row.judge, row.switches) == ("mine@f1", {"support": "strict"})


def test_records_hold_what_stands_beside_the_number(store, four):
    give_faithfulness(store, "v1", 0.5)
    (one,) = readings.read(store, four).records
    assert (one.value, one.parts, one.flags, one.units) == (0.5, {"lenient": 0.5}, ("odd",), 2)


def test_a_number_found_anew_replaces_the_one_before(store, four):
    give_faithfulness(store, "v1", 0.5)
    give_faithfulness(store, "v1", 1.0)
    assert [one.value for one in readings.read(store, four).records] == [1.0]


def test_under_other_prompts_only_the_newest_count_and_other_readings_stand_apart(store, four):
    give_faithfulness(store, "v1", 0.5)
    give_faithfulness(store, "v2", 1.0, prompts="b")
    found = readings.read(store, four)
    assert [(one.version, one.value) for one in found.records] == [("v2", 1.0)]


def test_only_the_first_repeat_is_in_a_mean(store, four):
    give_faithfulness(store, "v1", 0.5)
    give_faithfulness(store, "v1", 1.0, repeat=2)
    found = readings.read(store, four)
    assert len(found.records) == 2
    assert [(row.n, row.mean.value) for row in report.rows(found)] == [(1, 0.5)]


def test_questions_that_judges_may_have_seen_are_in_no_figure(store, four):
    give_faithfulness(store, "v1", 0.5, 0.5, 1.0, 1.0)
    first = store.value("select question_id from items where id = 1")
    split_assignment.assign(store, [first], "few-shot", "shown")
    found = readings.read(store, four)
    assert (found.items, found.closed, len(found.records)) == (2, 2, 2)
    assert report.rows(found)[0].mean.value == 1.0
    assert "2 answers excluded" in text(store, four)


PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
SECTIONS = {
    name: section
    for section in re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]
    for name in re.findall(r"^(?:- )?`(\w+)`: ", section, flags=re.MULTILINE)
}


def test_the_page_is_what_the_declarations_say():
    start = PAGE.index("The range is 0 to 1")
    assert page() == PAGE[start:], "Put in what `python -m tests.support.metrics_page` prints"


def test_every_metric_has_a_section_with_all_that_is_promised():
    assert SECTIONS.keys() == metrics.available().keys()
    for name, text in SECTIONS.items():
        for head in ("Formula", "Example", "Differences", "Source"):
            assert f"**{head}:**" in text, (name, head)


def requests(names, item=ANSWER, **switches):
    """What some metrics ask together for one answer."""
    every = [chosen(metrics.named(name), switches.get(name, {})) for name in names]
    return len(rehearsed(every, item, Rehearsal()).asks)


def test_the_page_says_what_the_set_of_ragas_takes_together_and_apart():
    # claims 1, claims of the reference 1, faithfulness 1, relevancy 1, precision 5, recall 1,
    # entities 2, noise 1 + 5 + 5, correctness 1 more
    assert requests(RAGAS_SET) == 24
    assert sum(requests([name]) for name in RAGAS_SET) == 2 + 1 + 5 + 2 + 2 + 13 + 4 == 29
    more = ANSWER._replace(contexts=(*ANSWER.contexts, Context("c6", "d6", "Passage 6.", 6)))
    assert requests(RAGAS_SET, more) == 24 + 3
    # without the requests of faithfulness and of context recall, which noise sensitivity holds
    alone = {CONTEXTS.name: ALONE}
    assert requests(RAGAS_SET, faithfulness=alone, context_recall=alone) == 22


def test_what_a_metric_costs_is_what_its_definition_says():
    expected = {
        "faithfulness": 2,
        "response_relevancy": 1,
        "context_precision": 5,
        "context_entity_recall": 2,
        "noise_sensitivity_relevant": 13,
        "noise_sensitivity_irrelevant": 13,
        "factual_correctness": 4,
        "vera_faithfulness": 1,
        "aspect_concise": 3,
        "rouge_l": 0,
        "semantic_similarity": 0,
    }
    assert {name: requests([name]) for name in expected} == expected
    assert requests([f"noise_sensitivity_{one}" for one in ("relevant", "irrelevant")]) == 13
