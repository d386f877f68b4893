"""The frame of charts: how titles wrap, and what is around words."""

from concord.ui.charts.frame import wrapped


def test_the_lines_of_a_title_are_about_as_long_as_one_another():
    assert wrapped("short") == ["short"] and wrapped("") == []
    assert wrapped(f"{'x' * 50} exact") == ["x" * 40, "x" * 10 + " exact"]


def test_chinese_and_japanese_wrap_between_letters_and_korean_between_words():
    assert wrapped("在正确性上gpt-5最接近人：完全一致 83%，人与人之间完全一致 85%。") == [
        "在正确性上gpt-5最接近人：完全一致",
        "83%，人与人之间完全一致 85%。",
    ]
    korean = "정확성에서 gpt-5가 사람에 가장 가깝습니다: 완전 일치 83%, 사람 85%"
    assert " ".join(wrapped(korean)) == korean and len(wrapped(korean)) == 2
    assert wrapped("一" * 20 + "。") == ["一" * 11, "一" * 9 + "。"]


def test_no_word_and_no_name_in_a_title_or_a_legend_is_broken():
    assert wrapped("simulated-decision-judge对一些回答过度自信，对另一些信心不足") == [
        "simulated-decision-judge",
        "对一些回答过度自信，对另一些信心不足",
    ]
    assert wrapped("simulated-lenient-judge、simulated-careful-judge") == [
        "simulated-lenient-judge、",
        "simulated-careful-judge",
    ]
    assert wrapped("simulated-lenient-judge+simulated-careful-judge") == [
        "simulated-lenient-judge+simulated-",
        "careful-judge",
    ]
