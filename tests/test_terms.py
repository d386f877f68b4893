import pytest

from ui.terms import sentence


@pytest.mark.parametrize(
    "term",
    [
        *("exact", "within one", "off by two", "caught", "failing", "bias", "mae", "kappa"),
        *("qwk", "ac2", "alpha", "tau-b", "ccc", "composite", "ceiling", "constant"),
        *("baseline", "each", "consensus", "left out", "alt-test", "repeats", "blind"),
        *("grading set", "order"),
    ],
)
def test_every_term_has_one_sentence(term):
    said = sentence(term)
    assert said.endswith((".", ")"))
    assert "\n" not in said and len(said) < 220
