"""Titles: two lines on a telephone, whatever a judge is called."""

import re

import pytest

from concord.messages import Numeral, capital, joined, on_command_line, said, small
from concord.text.display import distinct_cuts, width
from concord.ui.language import fitted, plain, shortened, unbroken, word

LONG = "gpt-5.6-terra-few-shot-with-reasons-2026"
OTHER = "open-weights-120b_instruct_zero_shot_joint"


def test_a_title_that_fits_is_unchanged():
    title = said("{judge} has {share} exact agreement", judge=LONG, share=Numeral("75%"))
    assert fitted(title) == (title, [])


@pytest.mark.parametrize("criterion", ["correctness", said("composite")])
def test_a_long_name_loses_its_middle_and_is_told_whole(criterion):
    title = said("{judge} has an exact agreement of 75% on {on}", judge=LONG, on=criterion)
    short, names = fitted(title)
    assert width(short) == 66 and names == [LONG]
    assert short.startswith("gpt-5.6-") and short.endswith(f"2026 has{title.partition(' has')[2]}")


def test_several_names_are_cut_alike_and_none_beyond_recognition():
    title = said("{names} are running on the sheet", names=joined(", ", (LONG, OTHER, "gpt")))
    short, names = fitted(title)
    assert names == [LONG, OTHER]
    assert short == "gpt-5.6-…ons-2026, open-wei…ot_joint, gpt are running on the sheet"


def test_names_beside_points_are_cut_to_the_same_length_and_keep_what_is_said_of_them():
    texts = [said("{name} (simulated)", name=LONG), OTHER, "gpt-judge"]
    assert shortened(texts, 14) == ["gpt-5.…ns-2026 (simulated)", "open-w…t_joint", "gpt-judge"]


def test_what_is_no_name_is_not_cut():
    text = "A sentence that is longer than any title should be, and has no name in it at all."
    assert fitted(text) == (text, []) and fitted(said(text)) == (said(text), [])


def test_a_name_that_the_title_does_not_say_is_not_among_those_cut():
    judge, order = "gpt-very-long-judge-name-with-forty-let1", "the-first-model > the-second-model"
    title = said("{judge} seems to rank the models as annotators do", judge=judge, order=order)
    short, names = fitted(title)
    assert names == [judge] and "…" in str(short)
    unnamed = said(f"Cannot tell yet which one is nearest to annotators on {'x' * 30}", name=judge)
    assert fitted(unnamed) == (unnamed, [])


def test_what_is_said_beside_a_cut_name_begins_with_the_letter_that_it_had():
    rest = said("Agreement of {n} of {annotators} cannot be tested", n=2, annotators="5 annotators")
    title = joined("; ", [said("Annotators with an alert: {names}", names=LONG), small(rest)])
    short, names = fitted(title)
    assert names == [LONG]
    assert short.endswith("; agreement of 2 of 5 annotators cannot be tested")


def test_names_that_differ_only_in_the_middle_stay_apart():
    names = [f"gpt-5.6-few-shot-{one}-with-reasons-2026-10" for one in ("terra", "luna")]
    title = said("{one} and {other} differ on the sheet", one=names[0], other=names[1])
    short, cut = fitted(title)
    assert sorted(cut) == sorted(names) and "…terra-" in short and "…luna-" in short


def test_names_that_cannot_be_told_apart_in_short_stay_whole():
    names = [f"judge-{'x' * 30}{at}-{'y' * 30}" for at in ("a", "b")] + [f"judge-{'x' * 61}b"]
    assert len({*distinct_cuts(names, 16).values()}) == 3


def test_a_screen_leaves_out_what_the_text_names_on_the_command_line():
    text = said(
        "Map the word under Scale{on_command_line}.",
        on_command_line=on_command_line("--score WORD=SCORE"),
    )
    whole = said("{n} rows: {why}", n=2, why=joined(" ", [text, said("Or leave it out.")]))
    assert text == "Map the word under Scale (--score WORD=SCORE on the command line)."
    assert word(text) == "Map the word under Scale."
    assert plain(whole) == "2 rows: Map the word under Scale. Or leave it out."
    assert word(said("{n} rows", n=2)) == "2 rows"


def test_a_screen_writes_the_minus_of_its_charts_before_a_number_and_nowhere_else():
    figure = Numeral("-1.2 [-6.9, +4.4]")
    assert word(figure) == "−1.2 [−6.9, +4.4]"
    found = said("{judge}: {figure} since {day}", judge="gpt-1.2", figure=figure, day="2026-11-26")
    assert word(found) == "gpt-1.2: −1.2 [−6.9, +4.4] since 2026-11-26"
    assert word(capital(said("as far as {value:+.2f} goes", value=-0.5))) == "As far as −0.50 goes"
    assert word(joined(", ", ["gpt-4", Numeral("-4"), Numeral("1e-05")])) == "gpt-4, −4, 1e-05"
    assert str(found) == "gpt-1.2: -1.2 [-6.9, +4.4] since 2026-11-26"  # files and commands


def test_a_size_an_interval_and_a_p_value_are_not_broken_over_two_lines():
    for text in ("0.60 (n = 18)", "75% [70, 79]", "sign-flip test: p < 0.001", "of 60 n = 9,106"):
        whole = re.split(r"(?<=60) |(?<=%) |(?<=:) ", unbroken(text))[1]
        assert " " not in whole and "\N{NO-BREAK SPACE}" in whole
