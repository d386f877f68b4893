"""Titles: two lines on a telephone, whatever a judge is called."""

import pytest

from concord.messages import Numeral, joined, on_command_line, said
from concord.text.display import width
from concord.ui.language import fitted, word

LONG = "gpt-5.6-terra-few-shot-with-reasons-2026"


def test_a_title_that_fits_is_unchanged():
    title = said("{judge} has {share} exact agreement", judge=LONG, share=Numeral("75%"))
    assert fitted(title) == (title, [])


@pytest.mark.parametrize("criterion", ["correctness", said("composite")])
def test_a_long_name_loses_its_middle_and_is_told_whole(criterion):
    title = said("{judge} has an exact agreement of 75% on {on}", judge=LONG, on=criterion)
    short, names = fitted(title)
    assert width(short) == 66 and names == [LONG]
    assert short.startswith("gpt-5.6-") and short.endswith(f"2026 has{title.partition(' has')[2]}")


def test_a_screen_leaves_out_what_the_text_names_on_the_command_line():
    text = said(
        "Map the word under Scale{on_command_line}.",
        on_command_line=on_command_line("--score WORD=SCORE"),
    )
    said("{n} rows: {why}", n=2, why=joined(" ", [text, said("Or leave it out.")]))
    assert word(said("{n} rows", n=2)) == "2 rows"


def test_a_screen_writes_the_minus_of_its_charts_before_a_number_and_nowhere_else():
    figure = Numeral("-1.2 [-6.9, +4.4]")
    assert word(figure) == "−1.2 [−6.9, +4.4]"
    found = said("{judge}: {figure} since {day}", judge="gpt-1.2", figure=figure, day="2026-11-26")
    assert word(found) == "gpt-1.2: −1.2 [−6.9, +4.4] since 2026-11-26"
    assert word(joined(", ", ["gpt-4", Numeral("-4"), Numeral("1e-05")])) == "gpt-4, −4, 1e-05"
    assert str(found) == "gpt-1.2: -1.2 [-6.9, +4.4] since 2026-11-26"  # files and commands
