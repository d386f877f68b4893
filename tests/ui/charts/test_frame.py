"""The frame of charts: how titles wrap, and what is around words."""

import tomllib

import plotly.graph_objects as go

from concord.messages import said
from concord.resources import ROOT
from concord.ui.charts.frame import titled, wrapped


def test_the_lines_of_a_title_are_about_as_long_as_one_another():
    title = "simulated-careful-judge most often differs by giving 3 where an annotator gave 2"
    assert wrapped(title) == [
        "simulated-careful-judge most",
        "often differs by giving 3",
        "where an annotator gave 2",
    ]
    assert wrapped("short") == ["short"] and wrapped("") == []
    assert wrapped(f"{'x' * 50} exact") == ["x" * 40, "x" * 10 + " exact"]


def test_a_title_has_smaller_letters_before_a_name_in_it_is_cut():
    words = "Where {judge} differs, it most often gives 3 for an annotator's 2"
    for name, whole in (("simulated-careful-judge", True), ("judge-" + "x" * 60, False)):
        chart = titled(go.Figure(), said(words, judge=name), 300)
        text = chart.layout.title.text
        assert (name in text.replace("<br>", " ")) == whole and text.count("<br>") == 1
        assert chart.layout.title.font.size >= 11


def test_chinese_and_japanese_wrap_between_letters_and_korean_between_words():
    assert wrapped("在正确性上gpt-5最接近人：完全一致 83%，人与人之间完全一致 85%。") == [
        "在正确性上gpt-5最接近人：完全一致",
        "83%，人与人之间完全一致 85%。",
    ]
    korean = "정확성에서 gpt-5가 사람에 가장 가깝습니다: 완전 일치 83%, 사람 85%"
    assert " ".join(wrapped(korean)) == korean and len(wrapped(korean)) == 2
    assert wrapped("一" * 20 + "。") == ["一" * 11, "一" * 9 + "。"]


def test_chinese_and_japanese_titles_break_after_marks_and_phrases_where_they_can():
    assert wrapped("在正确性上，simulated-careful-judge 与标注者完全一致的回答占75%") == [
        "在正确性上，simulated-careful-judge",
        "与标注者完全一致的回答占75%",
    ]
    assert wrapped("採点者の合意と比べるとジャッジの一致度は質問の数とともに上がる") == [
        "採点者の合意と比べるとジャッジの",
        "一致度は質問の数とともに上がる",
    ]


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


def test_words_on_a_chart_have_the_ground_of_each_theme_around_them():
    theme = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
    grounds = ", ".join(theme[scheme]["backgroundColor"] for scheme in ("light", "dark"))
    assert f"stroke: light-dark({grounds})" in (ROOT / "concord/ui/assets/look.css").read_text(
        encoding="utf-8"
    )
