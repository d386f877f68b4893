"""Provenance: how a figure was computed, in the language of the reader."""

import pytest

from concord.language.languages import shown
from concord.reports.agreement import agreement
from concord.reports.agreement.more_statistics import whole_rows
from concord.reports.comparison import compare
from concord.reports.panel import provenance, variants
from concord.reports.panel.panel import COMPOSITE
from concord.reports.ranking import ranking
from tests.support.panels import give, judge, panel
from tests.support.reports.choices import chosen

WILSON = "Wilson at effective n {size:.1f} of {answers:.1f}, t({degrees})"
JACKKNIFE = "question jackknife, t({degrees}) on {scale}"
SIMULTANEOUS = "question jackknife; differences simultaneous, question max-t at {level:g}"


def _agreement(store, doc_qa, sheet):
    return next(row for row in agreement.report(panel(store, doc_qa)).rows if row.n).signature


def _composite(store, doc_qa, sheet):
    rows = whole_rows(panel(store, doc_qa))
    return next(row for row in rows if row.criterion == COMPOSITE).signature


def _ranking(store, doc_qa, sheet):
    return ranking.report(panel(store, doc_qa)).signature


def _comparison(store, doc_qa, sheet):
    found = variants.read(store, sheet)
    return compare.report(found.every, found.annotators()).signature


def _choice(store, doc_qa, sheet):
    return chosen(store, doc_qa).signature


@pytest.mark.parametrize(
    ("signature", "known", "english", "japanese"),
    [
        (
            _agreement,
            {WILSON: "Wilson、実効n {size:.1f} / {answers:.1f}、t({degrees})"},
            ("interval: Wilson at effective n 36.0 of 36.0, t(11) | ",),
            ("Wilson、実効n 36.0 / 36.0、t(11) | ",),
        ),
        (
            _composite,
            {
                JACKKNIFE: "{scale}でのジャックナイフ",
                "square root": "平方根",
                "{method}, approximate": "{method}、概算",
            },
            ("interval: question jackknife, t(11) on square root, approximate | ",),
            ("：平方根でのジャックナイフ、概算 | ",),
        ),
        (
            _ranking,
            {"question jackknife": "質問のジャックナイフ", "question bootstrap": "質問の再標本"},
            ("intervals: question jackknife | ", "orders: question bootstrap, "),
            ("：質問のジャックナイフ | ", "：質問の再標本, "),
        ),
        (
            _comparison,
            {SIMULTANEOUS: "質問のジャックナイフ、同時 {level:g}"},
            ("limits: question jackknife; differences simultaneous, question max-t at 0.05 | ",),
            ("：質問のジャックナイフ、同時0.05 | ",),
        ),
        (
            _choice,
            {
                "Wilson at effective n": "実効nのWilson",
                "{method}, {n} clusters": "{method}、{n}群",
            },
            ("intervals: Wilson at effective n, 12 clusters | ",),
            ("：実効nのWilson、12群 | ",),
        ),
    ],
)
def test_the_method_of_an_interval_is_named_in_the_readers_language(
    store, sheet, doc_qa, translate, signature, known, english, japanese
):
    scores = {place: place % 4 for place in range(36)}
    wrong = {place: 3 - score if place % 9 == 0 else score for place, score in scores.items()}
    for criterion in doc_qa.versions():
        give(store, doc_qa, "Ana", scores, criterion)
        judge(store, doc_qa, "dear", wrong, criterion=criterion)
        judge(store, doc_qa, "cheap", scores | {1: 2, 5: 0}, criterion=criterion)
    found = signature(store, doc_qa, sheet)
    assert all(part in found for part in english), found
    translate("ja", known | {"{name}: {what}": "{name}：{what}"})
    said = shown(found, "ja")
    assert all(part in said for part in japanese), said


def test_the_line_that_a_decision_stored_is_read_again(translate):
    line = "rubric: doc-qa | annotators: a | b: c | intervals: Wilson at effective n, 12 clusters"
    assert provenance.read_again(line) == line
    known = {"{method}, {n} clusters": "{method}、{n}群", "{name}: {what}": "{name}：{what}"}
    translate("ja", known | {"rubric": "ルーブリック"})
    said = shown(provenance.read_again(line), "ja")
    assert said.startswith("ルーブリック：doc-qa | ") and " | b: c | " in said
    assert said.endswith("Wilson at effective n、12群")
