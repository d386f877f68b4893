"""A stored look, read again."""

import json

from concord.reports.decision import finding
from concord.reports.decision.results import read
from tests.support.panels import give, judge
from tests.support.reports.choices import chosen, off


def test_a_stored_look_words_its_reasons_by_their_codes(store, doc_qa, scores):
    give(store, doc_qa, "Ana", scores)
    judge(store, doc_qa, "dear", off(scores, 10))
    judge(store, doc_qa, "cheap", off(scores, 10, 5))
    judge(store, doc_qa, "begun", {place: scores[place] for place in range(30)})
    found = chosen(store, doc_qa)
    (look,) = store.rows("select result from looks")
    again = read(json.loads(look["result"]))
    begun, then = (
        next(row for row in one.judges if row.judge == "begun") for one in (again, found)
    )
    assert begun.why == then.why and begun.why[0].code == "scored_too_few"
    assert begun.exact == then.exact
    text = finding.finding(again, begun).reason
    inner = text.values["why"].values["0"]
    assert (inner.code, inner.values["n"]) == ("scored_too_few", 30)
