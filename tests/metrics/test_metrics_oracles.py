"""Metrics against the libraries that everybody uses; where those differ, the name says why.

The tests against ranx need benchmarks/requirements-oracles.txt and are skipped without it.
"""

import warnings
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from concord.metrics.framework import retrieved
from concord.text.bleu import bleu
from concord.text.overlap import chrf, rouge_l
from concord.text.similarity import edit_likeness, jaro, levenshtein
from concord.text.tokens import tokens

FEW = settings(max_examples=40)
# Every list of up to five documents, right or wrong, with none to two right ones missed.
LISTS = {
    f"q{number:03}": (hits, missed)
    for number, (hits, missed) in enumerate(
        (hits, missed)
        for length in range(1, 6)
        for hits in product([True, False], repeat=length)
        for missed in range(3)
        if any(hits) or missed
    )
}
TREC = ["RR", "nDCG", "nDCG@3", "AP", "AP@3", "R@3", "P@5", "Success@2"]
RANX = ["mrr", "ndcg", "ndcg@3", "map", "map@3", "recall@3", "precision@5", "hit_rate@2"]
TEXT = st.text("abc d首都", min_size=1, max_size=30)
WORDS = st.lists(st.sampled_from("abcde"), min_size=4, max_size=15)
CITY, TOWN = "巴黎是法国的首都和最大城市", "巴黎是德国的首都和最大城市"


def library(name: str):
    """A library, or the test is skipped; what it warns of on the way in is its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"{name} is in benchmarks/requirements-oracles.txt")


def judged() -> tuple[dict, dict]:
    """Right documents and runs of `LISTS`, as both libraries of retrieval take them."""
    right, runs = {}, {}
    for query, (hits, missed) in LISTS.items():
        found = {f"d{n}": 1 for n, hit in enumerate(hits) if hit}
        right[query] = found | {f"missed{n}": 1 for n in range(missed)}
        runs[query] = {f"d{n}": float(len(hits) - n) for n in range(len(hits))}
    return right, runs


def ours(query: str) -> list[float]:
    """Our figures of one of `LISTS`, in the order of `TREC` and `RANX`."""
    hits, missed = LISTS[query]
    relevant = sum(hits) + missed
    return [
        retrieved.reciprocal_rank(hits),
        retrieved.ndcg(hits, relevant),
        retrieved.ndcg(hits, relevant, 3),
        retrieved.average_precision(hits, relevant),
        retrieved.average_precision(hits, relevant, 3),
        retrieved.recall_at(hits, relevant, 3),
        retrieved.precision_at(hits, 5),
        float(any(hits[:2])),
    ]


def test_ranked_figures_are_those_of_trec_eval():
    ir = library("ir_measures")
    metrics = [ir.parse_measure(name) for name in TREC]
    theirs = {(one.query_id, one.measure): one.value for one in ir.iter_calc(metrics, *judged())}
    for query in LISTS:
        assert ours(query) == approx([theirs[query, metric] for metric in metrics]), query


@pytest.mark.filterwarnings("ignore:.*unsafe cast from uint64 to int64")
def test_ranked_figures_are_those_of_ranx():
    ranx = library("ranx")
    right, runs = judged()
    theirs = ranx.evaluate(ranx.Qrels(right), ranx.Run(runs), RANX, return_mean=False)
    for place, query in enumerate(LISTS):
        assert ours(query) == approx([theirs[name][place] for name in RANX]), query


@FEW
@given(WORDS, WORDS)
def test_rouge_l_of_ascii_words_is_that_of_rouge_score(candidate, reference):
    scorer = library("rouge_score.rouge_scorer").RougeScorer(["rougeL"])
    theirs = scorer.score(" ".join(reference), " ".join(candidate))["rougeL"]
    assert rouge_l(candidate, reference) == approx(tuple(theirs))


@FEW
@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
@pytest.mark.parametrize(("ours", "theirs"), [("halving", "exp"), ("none", "none")])
def test_bleu_is_that_of_sacrebleu_on_the_same_tokens(ours, theirs, candidate, references):
    metric = library("sacrebleu.metrics").BLEU(
        tokenize="none", effective_order=True, smooth_method=theirs
    )
    said = metric.sentence_score(" ".join(candidate), [" ".join(one) for one in references])
    assert 100 * bleu(candidate, references, ours) == approx(said.score, abs=1e-6)


@FEW
@given(WORDS, WORDS)
def test_bleu_with_one_more_is_that_of_sacrebleu_on_the_same_tokens(candidate, reference):
    metric = library("sacrebleu.metrics").BLEU(
        tokenize="none", effective_order=True, smooth_method="add-k", smooth_value=1
    )
    said = metric.sentence_score(" ".join(candidate), [" ".join(reference)])
    assert 100 * bleu(candidate, [reference], "add_one") == approx(said.score, abs=1e-6)


def test_bleu_of_chinese_is_zero_by_sacrebleus_first_tokenizer_and_ours_is_that_of_its_chinese():
    metrics = library("sacrebleu.metrics")
    assert metrics.BLEU().corpus_score([CITY], [[TOWN]]).score == 0.0
    chinese = metrics.BLEU(tokenize="zh", effective_order=True)
    own = bleu(tokens(CITY), [tokens(TOWN)])
    assert 100 * own == approx(chinese.sentence_score(CITY, [TOWN]).score)
    assert own == approx(0.7612, abs=1e-4)


@FEW
@given(TEXT, TEXT)
def test_chrf_is_that_of_sacrebleu(candidate, reference):
    said = library("sacrebleu.metrics").CHRF().sentence_score(candidate, [reference])
    assert 100 * chrf(candidate, reference) == approx(said.score, abs=1e-6)


@FEW
@given(TEXT, TEXT)
def test_likeness_is_that_of_rapidfuzz(left, right):
    distance = library("rapidfuzz.distance")
    assert levenshtein(left, right) == distance.Levenshtein.distance(left, right)
    alike = distance.Levenshtein.normalized_similarity(left, right)
    assert edit_likeness(left, right) == approx(alike)
    assert jaro(left, right) == approx(distance.Jaro.similarity(left, right))
