"""Filling: Korean takes the particle that fits the value before it, Japanese the space."""

import pytest

from concord.language.filling import filled_chinese, filled_japanese, filled_korean
from concord.language.languages import shown
from concord.messages import said


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("{x}을(를) 고르세요", "답변", "답변을 고르세요"),
        ("{x}을(를) 고르세요", "답변 3개", "답변 3개를 고르세요"),
        ("{x}은(는) 아닙니다", "시트", "시트는 아닙니다"),
        ("{x}이(가) 없습니다", "기준", "기준이 없습니다"),
        ("{x}와(과) 사람", "심사 모델", "심사 모델과 사람"),
        ("{x}와(과) 사람", "기준표", "기준표와 사람"),
        ("{x}(으)로 지정", "심사 모델", "심사 모델로 지정"),
        ("{x}(으)로 지정", "질문", "질문으로 지정"),
        ("{x}(으)로 지정", "예시", "예시로 지정"),
        ("“{x}”을(를) 시작", "표본", "“표본”을 시작"),
        ("“{x}”(이)라는 시트", "표", "“표”라는 시트"),
    ],
)
def test_a_particle_fits_the_korean_word_before_it(template, value, text):
    assert filled_korean(template, {"x": value}) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0은"), (1, "1은"), (2, "2는"), (3, "3은"), (5, "5는"), (6, "6은"), (9, "9는")],
)
def test_a_digit_is_read_as_a_word(value, text):
    assert filled_korean("{n}은(는)", {"n": value}) == text


def test_a_digit_that_ends_in_l_takes_the_short_form_of_by():
    assert [filled_korean("{n}(으)로", {"n": n}) for n in (1, 3, 4)] == ["1로", "3으로", "4로"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("careful-judge", "careful-judge는"),
        ("baseline", "baseline은"),
        ("few-shot", "few-shot은"),
        ("gpt-4o", "gpt-4o는"),
        ("GPT", "GPT는"),
        ("LLM", "LLM은"),
        ("Ana", "Ana는"),
        ("Ben", "Ben은"),
        ("atlas", "atlas는"),
        ("“reader”", "“reader”는"),
    ],
)
def test_a_latin_word_takes_the_form_of_how_it_is_read(value, text):
    assert filled_korean("{x}은(는)", {"x": value}) == text


def test_a_latin_word_that_ends_in_l_takes_the_short_form_of_by():
    names = ("mistral", "careful", "sample", "qwen", "LLM")
    read = [filled_korean("{n}(으)로", {"n": n}) for n in names]
    assert read == ["mistral로", "careful로", "sample로", "qwen으로", "LLM으로"]
    assert filled_korean("{n}을(를) 삭제", {"n": "sample"}) == "sample을 삭제"


def test_what_stands_in_brackets_or_marks_behind_a_word_is_passed_over():
    assert filled_korean("{x}은(는)", {"x": "답변 3개 (80%)"}) == "답변 3개 (80%)는"
    assert filled_korean("**{x}**을(를)", {"x": "기준"}) == "**기준**을"
    assert filled_korean("{x}이(가)", {"x": "75% [68, 81]"}) == "75% [68, 81]가"


def test_both_forms_stay_where_it_is_unknown_how_a_value_is_read():
    assert filled_korean("{x}은(는)", {"x": "sonnet"}) == "sonnet은(는)"
    assert filled_korean("{x}은(는)", {"x": ""}) == "은(는)"


def test_nothing_of_a_value_or_of_the_words_between_is_changed():
    text = filled_korean("{x}: 을(를) 씀 {{이(가)}} {n:,}개", {"x": "글 이(가)", "n": 1200})
    assert text == "글 이(가): 을(를) 씀 {이(가)} 1,200개"


def test_a_screen_in_korean_says_the_particle_that_fits(translate):
    translate("ko", {"Grade {n}": "{n}을(를) 채점"})
    assert shown(said("Grade {n}", n=2), "ko") == "2를 채점"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("gpt-5", "基準 gpt-5 は gpt-5 と「gpt-5」、gpt-5"),
        ("正確さ", "基準正確さは正確さと「正確さ」、正確さ"),
        ("コーナー", "基準コーナーはコーナーと「コーナー」、コーナー"),
        ("12件", "基準12件は12件と「12件」、12件"),
        ("95% CI", "基準95% CI は95% CI と「95% CI」、95% CI"),
        (75, "基準75は75と「75」、75"),
        ("（空）", "基準（空）は（空）と「（空）」、（空）"),
        ("", "基準 は と「」、"),
    ],
)
def test_a_latin_word_and_nothing_else_has_a_space_in_japanese(value, text):
    """However a translation has it: with one space or none."""
    assert filled_japanese("基準 {x}は{x} と「{x}」、{x}", {"x": value}) == text


def test_no_space_between_values_or_before_a_latin_word_is_changed_in_japanese():
    values = {"a": "正確さ", "b": "可読性"}
    assert filled_japanese("{a} {b} QWK：{a}", values) == "正確さ 可読性 QWK：正確さ"
    assert filled_japanese("{{a}} {n:,}件", {"n": 1200}) == "{a} 1,200件"


@pytest.mark.parametrize("filled", [filled_chinese, filled_japanese, filled_korean])
@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("**{name}**에", "answers (2)", "**answers (2)\u200b**에"),
        ("**{name}**에", "answers", "**answers**에"),
        ("**{name}**，", "answers (2)", "**answers (2)**，"),
        ("**{name}** 12", "answers (2)", "**answers (2)** 12"),
    ],
)
def test_bold_type_ends_behind_a_bracket_before_a_letter(filled, template, value, text):
    assert filled(template, {"name": value}) == text


@pytest.mark.parametrize("mark", ["**", "`"])
@pytest.mark.parametrize(
    ("value", "text"), [("退货", "{0}退货{0}：删除"), ("gpt-4", "{0}gpt-4{0}：删除")]
)
def test_nothing_stands_between_a_chinese_name_and_the_marks_around_it(mark, value, text):
    template = f"{mark}{{x}}{mark}：删除"
    assert filled_chinese(template, {"x": value}) == text.format(mark)
    assert (
        filled_chinese("删除{x}会", {"x": f"{mark}{value}{mark}"}) == f"删除 {mark}{value}{mark} 会"
    )
