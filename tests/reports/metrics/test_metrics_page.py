"""docs/metrics.md is what the declarations say, and so is what metrics cost."""

import re

from concord import metrics
from concord.reports.metrics import metric_cost
from tests.support.commandline import invoke
from tests.support.source import ROOT

PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### .+\n\n`(\w+)`: ((?:(?!^##).*\n?)*)", PAGE, flags=re.MULTILINE))


def test_the_page_is_what_the_verb_prints(tmp_path):
    printed = invoke(tmp_path / "c.db", "metrics", "--markdown")
    assert printed.stdout == PAGE, "Run: python cli.py metrics --markdown > docs/metrics.md"


def test_every_metric_has_a_section_with_all_that_is_promised():
    assert SECTIONS.keys() == metrics.found().keys()
    for name, text in SECTIONS.items():
        for head in ("Formula", "Range", "Example", "Where others differ", "When it is bad"):
            assert f"**{head}:**" in text, (name, head)


def test_the_set_of_ragas_shares_what_it_asks():
    together, apart = metric_cost.shared_and_apart()
    # claims 1, claims of the reference 1, faithfulness 1, relevancy 1, precision 5, recall 1,
    # entities 2, noise 1 + 5 + 5, correctness 1 more
    assert together.requests == 24
    assert apart.requests == 2 + 1 + 5 + 2 + 2 + 13 + 4
    assert together.requests < apart.requests < 30
    assert metric_cost.for_one_more_context() == 3
    # without the requests of faithfulness and of context recall, which noise sensitivity holds
    assert metric_cost.context_by_context().requests == 22


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
    found = {name: metric_cost.cost([metrics.named(name)]).requests for name in expected}
    assert found == expected
    both = [metrics.named(f"noise_sensitivity_{one}") for one in ("relevant", "irrelevant")]
    assert metric_cost.cost(both).requests == 13
