"""The comparison of variants in words, as a table, and on the command line."""

import json

import pytest

import scales
from data import sheets
from problems import Problem
from reports import compare_words as words
from reports.compare_table import heads, lines, reasons, text
from reports.comparing import Asked, compare
from reports.text import percent
from ui import compare_chart


@pytest.fixture
def sheet(store):
    return scales.graded_sheet(store)


def asked(store, sheet, **said):
    return compare(store, sheet, Asked(**said))


def cells(found, figure):
    return dict(lines(found))[figure]


def test_a_nearer_variant_is_the_title(store, sheet):
    scales.judged(store, sheet, "zero", every=3)
    scales.judged(store, sheet, "few", every=9, prompt="few_shot")
    found = asked(store, sheet)
    assert words.title(found) == (
        "few is nearer to people on correctness than zero: 4% of the scale away instead of 11%"
    )
    assert words.detail(found).startswith("2 variants on the same 72 answers to 24 questions")
    assert cells(found, "beside the one compared with")[0] == "compared with"
    assert cells(found, "beside the one compared with")[1].startswith("nearer by 7.4 [")
    assert cells(found, "prompt") == ["zero-shot", "few-shot", "—"]
    assert cells(found, "examples") == ["none", "the rubric's own", "—"]
    assert "The majority-class baseline (always 2) is 27% [" in words.detail(found)
    assert cells(found, "skill over the baseline")[1].startswith("0.86 [")


def test_a_difference_within_the_error_is_called_so(store, sheet):
    scales.judged(store, sheet, "zero", every=7)
    scales.judged(store, sheet, "few", every=8)
    title = words.title(asked(store, sheet))
    assert title.startswith("Cannot tell yet whether few is nearer to people on correctness")


def test_a_base_that_all_others_trail_is_the_title(store, sheet):
    scales.judged(store, sheet, "good", every=30)
    for name in ("bad", "worse"):
        scales.judged(store, sheet, name, every=2)
    title = words.title(asked(store, sheet))
    assert title.startswith("good is nearest to people on correctness, 1%")
    assert title.endswith("all 2 others are further off")


def test_a_lone_variant_says_that_nothing_stands_beside_it(store, sheet):
    scales.judged(store, sheet, "zero", every=3)
    found = asked(store, sheet)
    assert words.title(found).endswith("72 answers; there is no other variant beside it")
    assert len(words.advice(found)) == 3


def test_what_is_missing_is_told_with_how_to_get_it(store, sheet):
    scales.judged(store, sheet, "zero", repeats=2)
    scales.judged(store, sheet, "few", "doc-qa-0-10", prompt="few_shot")
    assert words.advice(asked(store, sheet)) == []
    scales.judged(store, sheet, "gpt", model=None)
    assert words.advice(asked(store, sheet)) == [
        "The prompts of gpt are not stored, since their grades came from a file; judges run from "
        "here show theirs."
    ]


def test_without_a_judge_the_title_says_so(store, sheet):
    found = asked(store, sheet)
    assert words.title(found).startswith("No judge has graded this sheet yet")
    assert words.detail(found) == ""
    assert text(found).startswith("No judge has graded")


def test_left_out_answers_and_who_holds_the_others_back_are_said(store, sheet):
    scales.judged(store, sheet, "zero")
    scales.judged(store, sheet, "short", places=range(12))
    detail = words.detail(asked(store, sheet))
    assert "Left out: 60 not scored by every variant compared." in detail
    assert "Without short there would be 72 answers to compare on." in detail


def test_what_is_undefined_has_its_reason_below_the_table(store, sheet):
    for name, rubric in (("a", "doc-qa-0-3"), ("b", "doc-qa-0-10"), ("c", "doc-qa-0-1")):
        scales.judged(store, sheet, name, rubric)
    told = reasons(asked(store, sheet))
    assert told[0] == "Exact, QWK and caught of b, c: no person graded these answers on this scale."
    assert told[1].startswith("The cost of a, b, c: its grades came from a file")
    assert f"— {told[0]}" in text(asked(store, sheet))


def test_no_name_on_the_chart_is_crossed_by_the_line_of_people_or_its_band(store, sheet):
    scales.judged(store, sheet, "zero", every=3)
    scales.judged(store, sheet, "few", every=9, prompt="few_shot")
    found = asked(store, sheet)
    found["ceiling"]["mae"] |= {"value": 0.07, "low": 0.05, "high": 0.09}
    chart = compare_chart.distance(found, "")
    names = [note.y for note in chart.layout.annotations if "·" in note.text]
    marks = [shape for shape in chart.layout.shapes if shape.x0 == shape.x1]
    assert sorted(names) == [0, 1, 2] and len(marks) == 3
    for shape in chart.layout.shapes:  # a name stands from 0.14 to 0.48 above the middle of its row
        assert not any(shape.y0 < name + 0.48 and name + 0.14 < shape.y1 for name in names)


def test_the_share_of_every_score_is_said_on_a_short_scale_and_of_the_commonest_on_a_long_one(
    store, sheet
):
    scales.judged(store, sheet, "three")
    found = asked(store, sheet)
    [spread] = [row["spread"] for row in found["variants"]]
    said = shares_said(compare_chart.scores(found, ""), 0)
    used = [count for count in spread["counts"] if count]
    assert said == [f"{percent(count / sum(used))}%" for count in used] and len(said) > 1

    found["variants"][0] |= {"scale": tuple(range(11))}
    spread["counts"] = [1, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4]
    assert shares_said(compare_chart.scores(found, ""), 0) == ["50%"]


def shares_said(chart, place):
    """The shares on the chart in one row of it, from the lowest score up."""
    notes = [one for one in chart.layout.annotations if one.y == place - 0.12]
    return [one.text for one in sorted(notes, key=lambda one: one.x)]


def test_where_scales_differ_the_distance_is_not_read_alone(store, sheet):
    scales.judged(store, sheet, "three")
    assert "coarser" not in words.detail(asked(store, sheet))
    scales.judged(store, sheet, "two", "doc-qa-0-1")
    assert "People graded on 0-3: a coarser scale cannot" in words.detail(asked(store, sheet))


def test_the_variant_to_compare_with_joins_those_named(store, sheet):
    for name in ("a", "b", "c"):
        scales.judged(store, sheet, name)
    found = asked(store, sheet, judges=("b",), against="c")
    baseline = "majority-class baseline (always 2)"
    assert (heads(found), found["base"]) == (["c", "b", baseline], "c")


def test_a_criterion_nobody_graded_is_a_problem_that_lists_what_there_is(store, sheet):
    scales.judged(store, sheet, "a")
    with pytest.raises(Problem, match="correctness, comprehensiveness, readability, composite"):
        asked(store, sheet, target="style")


@pytest.mark.parametrize(
    ("spread", "said"),
    [
        ({"used": 3, "of": 11, "effective": 2.04}, "3 of 11, as if 2.0 evenly"),
        ({"used": 0, "of": 4, "effective": None}, "—"),
    ],
)
def test_how_much_of_a_scale_is_used_in_words(spread, said):
    assert words.used(spread) == said


def test_compare_on_the_command_line(sampled):
    said = sampled("compare").output
    assert said.startswith(
        "simulated-careful-judge is nearest to people on correctness, 9% [7, 11]"
    )
    assert "$21.50 (invented)" in said
    found = json.loads(sampled("compare", "--json", "--criterion", "composite").output)
    assert found["target"] == "composite"
    assert [row["variant"] for row in found["variants"]][-1] == "baseline"


def test_compare_of_a_name_nobody_has_says_who_there_is(sampled):
    assert (
        "No judge “nobody” has graded “sample”"
        in sampled("compare", "--judge", "nobody", code=2).output
    )


def test_the_sample_has_its_advice(sample_store):
    (sheet,) = sheets.all_sheets(sample_store)
    assert len(words.advice(compare(sample_store, sheet, Asked()))) == 4
