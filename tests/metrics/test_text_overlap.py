"""Metrics of the answer's and the contexts' wording beside the reference, in every script."""

import pytest
from pytest import approx

from concord import metrics
from concord.metrics.prompts.inputs import Undefined
from concord.model import Context
from tests.support.made_items import made_item
from tests.support.scripted_desk import ScriptedDesk, measured

ANSWERS = ("rouge_l", "bleu", "chrf", "exact_match", "string_presence", "edit_likeness")
SCRIPTS = [
    "法国位于西欧，首都是巴黎。",
    "フランスの首都はパリです。",
    "프랑스의 수도는 파리입니다.",
    "The capital of France is Paris.",
]


def answered(answer: str, *references: str):
    return made_item(1, answer=answer, reference=references)


def outcome(name: str, item, **switches):
    return measured(metrics.named(name), item, ScriptedDesk(), **switches)


def value(name: str, item, **switches):
    return outcome(name, item, **switches).value


def test_rouge_l_of_a_chinese_context_by_characters():
    context = Context("", "", "法国位于西欧,与比利时、卢森堡、德国等国接壤...", 1)
    item = made_item(1, contexts=(context,), reference=("法国位于西欧,首都是巴黎。",))
    said = outcome("rouge_l_contexts", item)
    assert said.value == approx(6 / 11)
    assert said.parts["precision"] == approx(6 / 19)
    assert said.parts["f1"] == approx(0.4)


def test_rouge_l_reads_all_contexts_as_one_in_rank_order_and_names_the_best_alone():
    contexts = (Context("", "", "on the mat", 2), Context("", "", "the cat sat", 1))
    item = made_item(1, contexts=contexts, reference=("the cat sat on the mat",))
    said = outcome("rouge_l_contexts", item)
    assert (said.value, said.parts["best_chunk"], said.units) == (1, 0.5, 2)


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("text", SCRIPTS)
def test_an_answer_that_is_the_reference_scores_one_in_any_script(name, text):
    assert value(name, answered(text, text)) == approx(1)


@pytest.mark.parametrize("name", ANSWERS)
def test_of_several_references_the_best_counts(name):
    item = answered("Berlin it is", "Paris, France", "Berlin it is")
    assert value(name, item) == approx(1)
    assert outcome(name, item).units == 2


@pytest.mark.parametrize("name", [*ANSWERS, "rouge_l_contexts"])
def test_an_empty_text_on_either_side_is_no_zero(name):
    empty = [made_item(1, answer=" ", contexts=()), answered("Berlin"), answered("Berlin", " ")]
    for item in empty:
        assert metrics.named(name).lacks(item)
        with pytest.raises(Undefined) as raised:
            outcome(name, item)
        assert raised.value.status == "not_applicable"


@pytest.mark.parametrize("name", ["rouge_l", "bleu"])
def test_marks_without_words_cannot_be_compared_by_words(name):
    with pytest.raises(Undefined):
        outcome(name, answered("?!", "Berlin"))


@pytest.mark.parametrize(
    ("answer", "reference", "folded", "verbatim"),
    [
        ("I know.", "no", 0, 1),
        ("It is 3.5 mm.", "3", 0, 1),
        ("It is 3.5 mm, or 3.", "3", 1, 1),
        ("It was BERLIN then", "Berlin.", 1, 0),
        ("He writes C here.", "C++", 0, 0),
        ("He writes C++ here.", "C++", 1, 1),
        ("首都是巴黎。", "巴黎", 1, 1),
        ("価格は１００円です", "100円", 1, 0),
        ("New  York", "new york", 1, 0),
        ("Why?", "?", 1, 1),
    ],
)
def test_a_reference_is_sought_in_whole_words_unless_letters_are_chosen(
    answer, reference, folded, verbatim
):
    item = answered(answer, reference)
    assert outcome("string_presence", item).parts == {"folded": folded, "verbatim": verbatim}


def test_exact_match_under_each_reading():
    parts = outcome("exact_match", answered("berlin", "Berlin.")).parts
    assert parts == {"folded": 0, "verbatim": 0, "words": 1}
    assert outcome("exact_match", answered("Ｂerlin ", "berlin")).parts["folded"] == 1


def test_edit_likeness_of_paris_and_india():
    paris, india = (f"The Eiffel Tower is located in {where}." for where in ("Paris", "India"))
    assert value("edit_likeness", answered(paris, india)) == 0.8918918918918919
    assert value("edit_likeness", answered(paris.upper(), india), letters="verbatim") < 0.5
