"""Numbers of 0 to 1 under a longer scale: which there are, and what they are read as."""

import pytest

from concord.importing import zero_to_one
from concord.importing.columns import column_map
from concord.importing.fields import GRADE_FIELDS
from concord.importing.readers.formats import open_table
from concord.importing.scores import words_to_scores
from concord.messages import Problem
from tests.support.rubrics import rubric

HEAD = "item_id,criterion,grader,grader_kind,score\n"


def narrow(text, *, head=HEAD, words=(), mapped=(), versions=(), using=None):
    table = open_table((head + text).encode(), "g.csv")
    columns = column_map(table.columns, mapped, GRADE_FIELDS)
    found = zero_to_one.narrow(table, columns, using or rubric(), words_to_scores(words), versions)
    return {(one.criterion, one.by_judges): dict(one.counts) for one in found}


def test_annotators_and_judges_of_a_criterion_are_looked_at_apart():
    given = "1,correctness,a,annotator,1\n2,correctness,a,annotator,3\n1,correctness,j,judge,.5\n"
    assert narrow(given) == {("correctness", True): {".5": 1}}


def test_one_number_beyond_1_shows_the_scale_of_all():
    given = "1,correctness,a,annotator,1\n2,correctness,b,human,2\n3,correctness,a,annotator,0\n"
    assert narrow(given) == {}


def test_numbers_below_0_are_of_no_such_scale():
    assert narrow("1,correctness,j,judge,-0.5\n2,correctness,j,judge,1\n") == {}


def test_a_metric_has_no_scale():
    assert narrow("1,correctness,m,metric,0.5\n") == {}


def test_numbers_that_the_user_mapped_are_no_question():
    given = "1,correctness,a,annotator,1\n2,correctness,a,annotator,0\n"
    assert narrow(given, words=("1=3", "0=0")) == {}
    assert narrow(given, words=("1=3",)) == {("correctness", False): {"0": 1}}


def test_probabilities_over_the_scale_say_it():
    head = "item_id,criterion,grader,grader_kind,score,p:0,p:1,p:2,p:3\n"
    assert narrow("1,correctness,j,judge,1,0,1,0,0\n", head=head) == {}


@pytest.mark.parametrize("known, asked", [(("ab12",), 0), ((), 1)])
def test_an_export_says_the_scale_by_a_known_version_alone(known, asked):
    head = "item_id,criterion,grader,grader_kind,score,version,grade_row\n"
    found = narrow("1,correctness,a,person,1,ab12,1\n", head=head, versions=known)
    assert len(found) == asked


def test_columns_of_one_grader_each_are_looked_at_too():
    mapped = ("score:annotator:Ana:correctness=ana", "score:judge:J:correctness=j")
    found = narrow("1,1,2\n2,0,0\n", head="item_id,ana,j\n", mapped=mapped)
    assert found == {("correctness", False): {"1": 1, "0": 1}}


def test_what_is_no_number_or_no_criterion_is_left_to_the_reader():
    given = "1,correctness,a,annotator,good\n2,other,a,annotator,1\n"
    assert narrow(given) == {}


def test_numbers_are_mapped_exactly_between_the_ends():
    one = zero_to_one.Narrow("c", True, {"0": 1, "0.8": 1, "1": 1, "0.1": 1, "1.0": 1})
    assert one.mapped((1, 2, 3, 4, 5)) == {"0": 1, "0.1": 1.4, "0.8": 4.2, "1": 5, "1.0": 5}
    assert one.mapped((0, 1, 2, 3)) == {"0": 0, "0.1": 0.3, "0.8": 2.4, "1": 3, "1.0": 3}


def test_the_answer_is_among_the_scores_of_words():
    assert zero_to_one.answered(("a=1", "0-1=1-5"), [(1, 2, 3, 4, 5)]) == (("a=1",), "mapped")
    assert zero_to_one.answered(("0-1=0-1",), [(1, 2, 3, 4, 5)]) == ((), "kept")
    assert zero_to_one.answered(("a=1",), [(0, 1, 2)]) == (("a=1",), None)
    with pytest.raises(Problem, match="Write 0-1=0-2"):
        zero_to_one.answered(("0-1=0-2", "0-1=0-1"), [(0, 1, 2)])
