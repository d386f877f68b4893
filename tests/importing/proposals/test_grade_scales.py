"""Scales of the grades of a file, by criterion."""

import pytest

from concord.importing.columns import column_map
from concord.importing.proposals.grade_scales import grade_scales
from concord.importing.readers.formats import open_table
from concord.importing.scores import words_to_scores

FIRST = "question,answer,"


def scales(text: str, *words: str, name: str = "a.csv"):
    table = open_table(text.encode(), name)
    return grade_scales(table, column_map(table.columns, words))


def test_each_criterion_has_the_values_of_its_columns():
    found = scales(
        FIRST + "a,b,c\nq,x,1,2,9\nr,y,5,,7\n",
        "score:annotator:A:tone=a",
        "score:annotator:B:tone=b",
        "score:annotator:B:wit=c",
    )
    assert found.criteria == ("tone", "wit")
    assert found.of(["tone"]).scale == (1, 2, 3, 4, 5)
    assert [(v.text, v.n) for v in found.of(["tone"]).values] == [("1", 1), ("2", 1), ("5", 1)]
    assert found.of(["wit"]).n == 2


def test_criteria_of_annotators_come_first_and_metrics_last():
    found = scales(
        FIRST + "rouge,j,a\nq,x,0.1,2,3\n",
        "score:metric:rouge:rouge=rouge", "score:judge:J:wit=j", "score:annotator:A:tone=a",
    )  # fmt: skip
    assert found.criteria == ("tone", "wit", "rouge")


def test_annotators_show_the_scale_before_judges_do():
    given = FIRST + "a,j\nq,x,1,0.25\nr,y,3,0.5\n"
    words = ("score:annotator:A:tone=a", "score:judge:J:tone=j")
    assert scales(given, *words).of(["tone"]).scale == (1, 2, 3)
    assert scales(given, words[1]).of(["tone"]).kind == "continuous"


def test_means_of_annotators_show_the_scale_before_judges_do():
    given = FIRST + "m,j\nq,x,1.5,0.25\nr,y,4.5,0.5\n"
    words = ("score:mean:M:tone=m", "score:judge:J:tone=j")
    assert scales(given, *words).of(["tone"]).scale == (1, 2, 3, 4, 5)


def test_one_grade_per_row_names_criterion_and_kind():
    found = scales(
        FIRST
        + "who,what,kind,s\n"
        + "q,x,A,Tone,annotator,2\nq,x,J,Tone,judge,0.5\nq,x,A,Wit,annotator,1\n",
        "grader=who", "criterion=what", "grader_kind=kind", "score=s",
    )  # fmt: skip
    assert found.criteria == ("Tone", "Wit")
    assert {key: dict(n) for key, n in found.counts.items()} == {
        ("Tone", "person"): {"2": 1},
        ("Tone", "judge"): {"0.5": 1},
        ("Wit", "person"): {"1": 1},
    }


def test_keys_name_the_criterion():
    found = scales(
        '[{"question": "q", "answer": "x", "g": {"tone": 2, "wit": [1]}}]',
        "score:annotator:A:{c}=g.{c}",
        name="a.json",
    )
    assert found.criteria == ("tone",)
    assert found.unreadable == 1


def test_words_are_read_as_their_scores():
    found = scales(FIRST + "a\nq,x,good\nr,y,bad\ns,z,skip\n", "score:annotator:A:tone=a")
    assert found.words() == {"good": 1, "bad": 1, "skip": 1}
    words = words_to_scores(["good=1", "bad=0", "skip="])
    read = found.of(["tone"], words)
    assert (read.scale, read.n, read.blank) == ((0, 1), 2, 1)


@pytest.mark.parametrize(
    ("one", "other", "are_different"),
    [
        ("12345", "1234", False),  # nobody gave a 5
        ("0123", "123", False),
        ("012", "01", False),
        ("12345", "01", True),
        ("0123", "01", True),
        ("12345", ("1", "7", "10"), True),
    ],
)
def test_scales_that_cannot_be_one_are_different(one, other, are_different):
    rows = "".join(f"q{n},a,{one[n % len(one)]},{other[n % len(other)]}\n" for n in range(20))
    words = ("score:annotator:A:tone=a", "score:annotator:A:wit=b")
    said = scales(FIRST + "a,b\n" + rows, *words).different()
    assert bool(said) == are_different


def test_a_judge_on_another_scale_may_have_the_criterion_of_the_annotators():
    rows = "".join(f"q{n},a,{n % 4},{n % 2}\n" for n in range(20))
    words = ("score:annotator:A:tone=a", "score:judge:J:how_kind=b")
    said = scales(FIRST + "a,b\n" + rows, *words).different()
    assert 'under “Same criteria” (--map "criterion:how_kind=tone" on the command line).' in said


def test_a_metric_has_no_scale_to_differ():
    rows = "".join(f"q{n},a,{1 + n % 5},0.{n}\n" for n in range(9))
    words = ("score:annotator:A:tone=a", "score:metric:M:rouge=b")
    assert scales(FIRST + "a,b\n" + rows, *words).different() is None
