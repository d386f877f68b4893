"""Words of metrics: stored English that is a message again."""

from concord.language.languages import shown
from concord.reports.metrics.metric_words import reason


def test_what_an_item_lacks_is_said_in_the_language_of_the_reader_also_where_it_lacks_two_things():
    one, two = reason("It has no answer."), reason("It has no answer and no reference contexts.")
    assert two == "It has no answer. It has no reference contexts."
    assert shown(one, "zh").startswith("没有") and "It has" not in shown(two, "zh")
    assert reason("It has a price and no colour.") == "It has a price and no colour."
