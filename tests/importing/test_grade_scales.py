"""Scales that are read off the grades of a file, and what its words and numbers mean."""

import pytest

from concord.importing.columns import column_map
from concord.importing.fields import GRADE_FIELDS
from concord.importing.grade_scales import conventional, grade_scales, narrow, readings
from concord.importing.readers.formats import open_table
from concord.importing.scores import words_to_scores
from concord.messages import Problem
from tests.support.rubrics import rubric

FIRST = "question,answer,"
HEAD = "item_id,criterion,grader,grader_kind,score"


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
    assert [(text, n) for text, n, _ in found.of(["tone"]).values] == [("1", 1), ("2", 1), ("5", 1)]
    assert found.of(["wit"]).n == 2


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
    groups = scales(FIRST + "a,b\n" + rows, *words).groups()
    assert groups == ([("tone",), ("wit",)] if are_different else [("tone", "wit")])


def test_words_beside_numbers_have_a_score_only_on_the_scale_of_these():
    rows = "q1,a,5,2\nq2,b,3,yes\nq3,c,good,0\nq4,d,1,partly\nq5,e,2,1\n"
    found = scales(FIRST + "a,b\n" + rows, "score:human:A:x=a", "score:human:A:y=b")
    assert conventional(found, {}) == {"good": None, "yes": 2, "partly": 1}


def graded(rows, head=HEAD, mapped=()):
    table = open_table("\n".join((head, *rows)).encode(), "g.csv")
    return table, column_map(table.columns, mapped, GRADE_FIELDS)


COLUMNS = {
    "head": "item_id,ana,j",
    "mapped": ("score:annotator:Ana:correctness=ana", "score:judge:J:correctness=j"),
}


@pytest.mark.parametrize(
    ("rows", "how", "words", "found"),
    [
        # annotators and judges are looked at apart
        (["1,correctness,a,annotator,3", "1,correctness,j,judge,.5"], {}, (), [True]),
        # one number beyond shows the scale of all
        (["1,correctness,a,annotator,1", "2,correctness,b,human,2"], {}, (), []),
        (["1,correctness,j,judge,-0.5", "2,correctness,j,judge,1"], {}, (), []),
        (["1,correctness,m,metric,0.5"], {}, (), []),
        (["1,correctness,a,human,1", "2,correctness,a,human,0"], {}, ("1=3", "0=0"), []),
        (["1,correctness,a,human,1", "2,correctness,a,human,0"], {}, ("0=3",), [False]),
        (["1,correctness,j,judge,1,0,1,0,0"], {"head": HEAD + ",p:0,p:1,p:2,p:3"}, (), []),
        (["1,correctness,a,person,1,ab12,1"], {"head": HEAD + ",version,grade_row"}, (), []),
        (["1,1,2", "2,0,0"], COLUMNS, (), [False]),
        (["1,correctness,a,human,good", "2,other,a,human,1"], {}, (), []),
    ],
)
def test_numbers_of_0_to_1_on_a_longer_scale_are_found(rows, how, words, found):
    table, columns = graded(rows, **how)
    seen = grade_scales(table, columns)
    of_0_to_1 = narrow(seen, columns, rubric(), words_to_scores(words))
    assert [*of_0_to_1] == [("correctness", judges) for judges in found]


@pytest.mark.parametrize(
    ("texts", "mapped"),
    [(("0-1=0-3",), 1), (("0 - 1 = 0-1",), 0), ((), None), (("0-1=0-2",), None)],
)
def test_numbers_of_0_to_1_are_read_as_the_user_says(texts, mapped):
    table, columns = graded(["1,correctness,a,annotator,1", "2,correctness,a,annotator,0"])
    if mapped is None:
        with pytest.raises(Problem):
            readings(table, columns, [rubric()], texts)
    else:
        _, spread, notes = readings(table, columns, [rubric()], texts)
        assert (len(spread), len(notes)) == (mapped, mapped)
