"""Only the numbers of a message get a minus sign, in whatever language it is shown."""

from concord.language.minus_sign import with_minus
from concord.messages import Numeral, said


def test_a_name_and_a_date_keep_their_hyphens():
    found = said("{judge} at {figure:.1f}, {day}", judge="gpt-4", figure=-4.9, day="2026-11-27")
    assert with_minus(found, found) == "gpt-4 at −4.9, 2026-11-27"
    assert with_minus("gpt-4: -4.9", found) == "gpt-4: −4.9"
    assert (
        with_minus("gpt-4の差は-4.9", found) == "gpt-4の差は−4.9"
    )  # without a space, as in Japanese


def test_a_text_that_is_no_message_stays_as_it_is():
    assert with_minus("-4.9", "-4.9") == "-4.9"
    assert with_minus("-4.9", Numeral("-4.9")) == "−4.9"
