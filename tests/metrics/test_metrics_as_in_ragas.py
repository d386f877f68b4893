"""The metrics of RAGAS by hand arithmetic: published examples, edge cases, identities."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord import metrics
from concord.metrics import noise_sensitivity
from concord.metrics.prompts.inputs import Undefined
from concord.model import Context
from concord.text import overlap
from tests.support.made_items import made_item
from tests.support.scripted_desk import ScriptedDesk, measured

LIC_REFERENCE = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0]]
LIC_ANSWER = [[0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0]]


def item(chunks=1, **changes):
    """An item with so many contexts and a reference."""
    contexts = tuple(Context("", "", f"Passage {n}.", n) for n in range(1, chunks + 1))
    return made_item(1, **{"contexts": contexts, "reference": ("It is so.",), **changes})


def outcome(name, desk, chunks=1, of=None, **switches):
    return measured(metrics.named(name), of or item(chunks), desk, **switches)


def value(name, *args, **switches):
    return outcome(name, *args, **switches).value


def some(number, of="claim"):
    """So many units of a kind."""
    return {of: [f"{of} {n}" for n in range(number)]}


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [([1], 1), ([1, 0], 1), ([0, 1], 1 / 2), ([0, 0], 0), ([0, 1, 1], (1 / 2 + 2 / 3) / 2)],
)
@pytest.mark.parametrize(
    ("name", "rubric"),
    [
        ("context_precision", "chunks-for-reference"),
        ("context_utilization", "chunks-for-answer"),
    ],
)
def test_context_precision_is_the_mean_over_useful_ranks(name, rubric, verdicts, expected):
    desk = ScriptedDesk(labels={rubric: verdicts})
    found = outcome(name, desk, len(verdicts))
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.flags == (() if any(verdicts) else ("no_relevant",))
    assert len(desk.asked) == len(verdicts)  # each by itself


def test_a_blank_context_holds_its_rank_and_nobody_is_asked_about_it():
    texts = ["", "", "Useful."]
    of = item(contexts=tuple(Context("", "", text, n) for n, text in enumerate(texts, 1)))
    desk = ScriptedDesk(labels={"chunks-for-reference": [1]})
    assert value("context_precision", desk, of=of) == pytest.approx(1 / 3)
    assert len(desk.asked) == 1
    of = of._replace(reference_contexts=("Useful.",))
    assert value("context_precision_by_likeness", ScriptedDesk(), of=of) == pytest.approx(1 / 3)


TWICE = ("Snow is white.", "Paris is big.", " paris  is big. ", "Rome is old.")


@pytest.mark.parametrize(
    ("name", "kind", "rubric", "said", "once", "each"),
    [
        ("context_precision", "chunk", "chunks-for-reference", [0, 1, 1, 1], 7 / 12, 23 / 36),
        ("context_utilization", "chunk", "chunks-for-answer", [0, 1, 1, 1], 7 / 12, 23 / 36),
        (
            "context_relevance",
            "context_sentence",
            "context-sentences-for-question",
            [0, 1, 1, 1],
            2 / 3,
            3 / 4,
        ),
        (
            "context_recall_by_sentence",
            "reference_sentence",
            "reference-sentences-in-contexts",
            [1, 3, 3, 1],
            1 / 3,
            1 / 2,
        ),
        ("vera_retrieval_recall", "sentence", "sentences-in-contexts", [1, 3, 3, 1], 1 / 3, 1 / 2),
    ],
)
def test_what_stands_there_twice_counts_once_unless_chosen_otherwise(
    name, kind, rubric, said, once, each
):
    for choice, expected, flag in (
        ("once", once, "duplicates_folded"),
        ("each", each, "duplicates"),
    ):
        desk = ScriptedDesk(units={kind: TWICE}, labels={rubric: said})
        found = outcome(name, desk, duplicates=choice)
        assert found.value == pytest.approx(expected)
        assert (found.parts["once"], found.parts["each"]) == pytest.approx((once, each))
        assert flag in found.flags and found.units == (3 if choice == "once" else 4)


def test_a_claim_that_a_person_wrote_twice_counts_once():
    desk = ScriptedDesk(
        units={"claim": ["It is so.", "it is  so.", "It is odd."]},
        labels={"claims-in-contexts": [3, 3, 1]},
    )
    found = outcome("faithfulness", desk)
    assert (found.value, found.units, found.flags) == (1 / 2, 2, ("duplicates_folded",))


def insurer(name):
    """The insurance example: three claims of each side, four contexts, one wrong claim."""
    by_chunk = [cell for column in zip(*LIC_REFERENCE, strict=True) for cell in column]
    answer = [cell for column in zip(*LIC_ANSWER, strict=True) for cell in column]
    desk = ScriptedDesk(
        units=some(3) | some(3, "reference_claim"),
        labels={
            "claims-in-reference": [3, 3, 1],
            "reference-claims-in-chunk": by_chunk,
            "claims-in-chunk": answer,
        },
    )
    return outcome(name, desk, chunks=4), desk


def test_a_wrong_claim_from_a_relevant_context_is_a_third_of_three():
    found, desk = insurer("noise_sensitivity_relevant")
    assert found.value == pytest.approx(1 / 3)
    assert found.parts["wrong"] == pytest.approx(1 / 3)
    assert insurer("noise_sensitivity_irrelevant")[0].value == 0
    assert len(desk.asked) == 1 + 4 + 4


@pytest.mark.parametrize(
    ("name", "by_context", "together", "expected"),
    [
        ("faithfulness", "claims-in-chunk", "claims-in-contexts", 3 / 3),
        ("context_recall", "reference-claims-in-chunk", "reference-claims-in-contexts", 3 / 3),
    ],
)
def test_claims_are_held_against_single_contexts_at_no_cost_beside_noise(
    name, by_context, together, expected
):
    _, desk = insurer("noise_sensitivity_relevant")
    before = len(desk.asked)
    found = outcome(name, desk, chunks=4, contexts="one by one")
    assert (found.value, found.units) == (expected, 3) and len(desk.asked) == before
    desk.labels[together] = [3, 2, 1]
    assert outcome(name, desk, chunks=4).value == pytest.approx(1 / 3)
    assert [ask.name for ask in desk.asked[before:]] == [together]


@given(st.integers(0, 4), st.integers(1, 5), st.integers(1, 4), st.randoms(use_true_random=False))
def test_wrong_claims_come_from_relevant_contexts_others_or_nowhere(g, a, k, chance):
    def grid(rows):
        return [[chance.random() < 0.4 for _ in range(k)] for _ in range(rows)]

    right = [chance.random() < 0.5 for _ in range(a)]
    found = noise_sensitivity.shares(grid(g), grid(a), right)
    assert sum(found) == pytest.approx(right.count(False) / a)


def facts(right, stated):
    return ScriptedDesk(
        units=some(len(right)) | some(len(stated), "reference_claim"),
        labels={"claims-in-reference": right, "reference-claims-in-answer": stated},
    )


@pytest.mark.parametrize(
    ("right", "stated", "precision", "recall", "f1"),
    [
        ([3], [3, 1], 1, 1 / 2, 2 / 3),
        ([3, 3, 1, 0], [3, 1], 1 / 2, 1 / 2, 1 / 2),
        ([3, 3, 3, 1], [3, 3, 1], 3 / 4, 2 / 3, 12 / 17),
        ([1], [1], 0, 0, 0),
    ],
)
def test_recall_is_over_the_claims_of_the_reference_alone(right, stated, precision, recall, f1):
    found = outcome("factual_correctness", facts(right, stated))
    assert found.parts["precision"] == precision and found.parts["recall"] == recall
    assert found.value == pytest.approx(f1)


def test_more_weight_on_recall_draws_the_number_towards_it():
    assert overlap.f_beta(0.5, 1.0, 2.0) == pytest.approx(5 * 0.5 / 3)
    found = outcome("factual_correctness", facts([3], [3, 1]), balance="recall counts double")
    assert found.value == pytest.approx(5 * 0.5 / 4.5)


@pytest.mark.parametrize("empty", ["claim", "reference_claim"])
@pytest.mark.parametrize("name", ["factual_correctness", "answer_correctness"])
def test_a_side_that_claims_nothing_leaves_nothing_to_compare(name, empty):
    desk = ScriptedDesk(units=some(1) | some(1, "reference_claim") | {empty: []})
    with pytest.raises(Undefined) as none:
        outcome(name, desk)
    assert none.value.status == "not_applicable" and not desk.asked


BOTH = {"claim": ["One."], "reference_claim": ["Two."], "reference_entity": ["Rome"]}


@pytest.mark.parametrize(
    "name",
    [
        "context_recall",
        "context_recall_by_sentence",
        "context_entity_recall",
        "noise_sensitivity_relevant",
        "noise_sensitivity_irrelevant",
        "factual_correctness",
        "answer_correctness",
    ],
)
def test_of_several_reference_answers_the_first_is_taken_apart_and_that_is_said(name):
    units = BOTH | {"context_entity": ["Rome"]}
    rubrics = metrics.named(name).rubrics
    for references, flags in (
        (("", "It is so."), ()),
        (("It is so.", "It is thus."), ("first_reference_only",)),
    ):
        labels = {rubric: [1] * 9 for rubric in rubrics}
        vectors = {"A.": [1, 0], "It is so.": [0.6, 0.8]}
        desk = ScriptedDesk(units=units, labels=labels, vectors=vectors)
        assert outcome(name, desk, of=item(answer="A.", reference=references)).flags == flags


@pytest.mark.parametrize("origin", ["relevant", "irrelevant"])
def test_beside_a_reference_that_claims_nothing_noise_is_undefined_and_not_at_its_best(origin):
    desk = ScriptedDesk(
        units=some(2) | {"reference_claim": []},
        labels={"claims-in-reference": [1, 1], "claims-in-chunk": [1, 0]},
    )
    with pytest.raises(Undefined) as none:
        outcome(f"noise_sensitivity_{origin}", desk)
    assert none.value.status == "not_applicable" and desk.asked == []


def test_an_answer_that_claims_nothing_is_not_sensitive_to_noise():
    with pytest.raises(Undefined) as none:
        outcome("noise_sensitivity_relevant", ScriptedDesk(units={"claim": []}))
    assert none.value.status == "not_applicable"


TAJ = ["Taj Mahal", "Yamuna", "Agra", "1631", "Shah Jahan", "Mumtaz Mahal"]


@pytest.mark.parametrize(
    ("contexts", "expected"),
    [
        (["taj  mahal", "AGRA", "Shah Jahan", "Mumtaz Mahal", "India"], 4 / 6),
        (["Taj Mahal", "UNESCO"], 1 / 6),
        (["Agra"] * 2, 1 / 6),
    ],
)
def test_entities_count_once_whatever_their_case(contexts, expected):
    desk = ScriptedDesk(units={"reference_entity": TAJ, "context_entity": contexts})
    assert value("context_entity_recall", desk) == pytest.approx(expected)


def test_any_form_of_an_entity_finds_it():
    wanted = ["World Health Organization | WHO", "ソニー株式会社 | ソニー"]
    desk = ScriptedDesk(units={"reference_entity": wanted, "context_entity": ["ＷＨＯ", "ソニー"]})
    assert value("context_entity_recall", desk) == 1.0


def test_a_reference_without_names_has_no_entity_recall():
    with pytest.raises(Undefined):
        outcome("context_entity_recall", ScriptedDesk(units={"reference_entity": []}))


def test_a_text_without_a_vector_has_no_relevancy():
    with pytest.raises(Undefined, match="zero"):
        outcome(
            "semantic_similarity",
            ScriptedDesk(vectors={"It is so.": [0, 0], "A.": [1, 0]}),
            of=item(answer="A."),
        )


def test_similarity_goes_by_the_reference_it_is_most_like():
    desk = ScriptedDesk(vectors={"A.": [1, 0], "B.": [0, 1], "C.": [0.8, 0.6]})
    of = made_item(1, answer="A.", reference=("B.", "C."))
    assert outcome("semantic_similarity", desk, of=of).value == pytest.approx(0.8)


def test_the_whole_set_shares_its_claims_and_its_verdicts():
    names = [
        "faithfulness",
        "context_precision",
        "context_recall",
        "noise_sensitivity_relevant",
        "noise_sensitivity_irrelevant",
        "factual_correctness",
    ]
    chance = random.Random(1)
    rubrics = {rubric for name in names for rubric in metrics.named(name).rubrics}
    labels = {rubric: [chance.randint(0, 1) for _ in range(99)] for rubric in rubrics}
    claims = {"claims": {"claims": ["One.", "Two."]}}
    desk = ScriptedDesk(claims, labels=labels)
    for name in names:
        outcome(name, desk, chunks=5)
    assert len(desk.asked) == 2 + 1 + 5 + 1 + (5 + 5 + 1) + 1
