import pytest

from concord.language.plurals import counted


@pytest.mark.parametrize(
    ("count", "words", "said"),
    [
        (0, ("answer",), "0 answers"),
        (1, ("answer",), "1 answer"),
        (1204, ("answer",), "1,204 answers"),
        (1, ("reply", "replies"), "1 reply"),
        (2, ("reply", "replies"), "2 replies"),
    ],
)
def test_a_count_takes_its_noun_along(count, words, said):
    assert counted(count, *words) == said
