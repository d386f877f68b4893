"""docs/metrics.md is what the declarations say, and so is what metrics cost."""

import asyncio
import re

from concord import metrics
from concord.judges.metric_runs.rehearsal import Rehearsal, rehearsed
from concord.metrics.framework.each_context import ALONE, CONTEXTS
from concord.metrics.selection import chosen
from concord.model import Context
from concord.reports.metrics.metrics_page import ANSWER, RAGAS_SET
from tests.support.commandline import invoke
from tests.support.source import ROOT

PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### .+\n\n`(\w+)`: ((?:(?!^##).*\n?)*)", PAGE, flags=re.MULTILINE))


def test_the_page_is_what_the_verb_prints(tmp_path):
    printed = invoke(tmp_path / "c.db", "metrics", "--markdown")
    table = PAGE.index("| metric | requests |")
    assert printed.stdout == PAGE[table:], "Put in what `python cli.py metrics --markdown` prints"


def test_every_metric_has_a_section_with_all_that_is_promised():
    assert SECTIONS.keys() == metrics.available().keys()
    for name, text in SECTIONS.items():
        for head in ("Formula", "Inputs", "Example", "Differences", "If poor", "Source"):
            assert f"**{head}:**" in text, (name, head)


def requests(names, item=ANSWER, **switches):
    """What some metrics ask together for one answer."""
    every = [chosen(metrics.named(name), switches.get(name, {})) for name in names]
    return len(asyncio.run(rehearsed(every, item, Rehearsal())).asks)


def test_the_page_says_what_the_set_of_ragas_takes_together_and_apart():
    # claims 1, claims of the reference 1, faithfulness 1, relevancy 1, precision 5, recall 1,
    # entities 2, noise 1 + 5 + 5, correctness 1 more
    assert requests(RAGAS_SET) == 24
    assert sum(requests([name]) for name in RAGAS_SET) == 2 + 1 + 5 + 2 + 2 + 13 + 4 == 29
    assert "**24 requests together**, 29 separately" in PAGE
    more = ANSWER._replace(contexts=(*ANSWER.contexts, Context("c6", "d6", "Passage 6.", 6)))
    assert requests(RAGAS_SET, more) == 24 + 3 and "adds 3 requests to the 24" in PAGE
    # without the requests of faithfulness and of context recall, which noise sensitivity holds
    alone = {CONTEXTS.name: ALONE}
    assert requests(RAGAS_SET, faithfulness=alone, context_recall=alone) == 22
    assert "the seven take **22**" in PAGE


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
