"""What an answer is called: the same wherever it is shown, and when it is looked up."""

import pytest

from concord.grading import (
    campaigns,
    comments,
    gold_file,
    gold_items,
    grading_sets,
    single_assignments,
)
from concord.messages import Problem
from concord.reports.workflow import flags
from concord.sampling import split_assignment, splits
from concord.store import additions, graders, items
from concord.store.answers import answer_search
from concord.store.answers.answer_search import AnswerFilter
from tests.support.made_items import made_item


def test_an_answer_without_an_id_is_called_by_its_question_everywhere(store, rubric):
    """Two models answered q0, one q1: a name that stands for both is refused in one sentence."""
    made = [
        made_item(n, model, own_id=None, question_id=f"q{n}")
        for n, model in ((0, "atlas"), (0, "birch"), (1, "atlas"), (2, "atlas"))
    ]
    sheet = additions.add(store, "s", made, "s.csv", "1" * 64, {})
    first, second, third, fourth = items.item_ids(store, sheet.id)
    both = [f"q0, no. {first}", f"q0, no. {second}"]
    wanted = dict(zip((first, second, third, fourth), (*both, "q1", "q2"), strict=True))
    assert items.answer_names(store, sheet.id) == wanted
    data = answer_search.find(store, sheet.id, AnswerFilter(), 50).answers
    assert {one.id: one.name for one in data} == wanted
    named = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, seed=1)
    assert {one.id: one.own_id for one in single_assignments.of_set(store, named)} == wanted
    assert single_assignments.item_named(store, named, both[1]) == second
    ana = graders.ensure(store, "person", "Ana")
    campaigns.begin(store, named, [ana], 1)
    comments.add_own(store, comments.FLAG, comments.At(named.id, first, ana), "Why?", "p")
    [flag] = flags.of_sheet(store, sheet.id, sheet.name).flags
    assert flag.item == both[0]
    ids = splits.questions_named(store, sheet, ["q0", "q1"])
    split_assignment.assign(store, ids, "few-shot", "")
    last = grading_sets.create(store, sheet.id, rubric[0], "Set 2", None, seed=1)
    offered = gold_items.offered(store, last, gold_items.GOLD)
    assert [one.name for one in offered] == [*both, "q1"]
    file = gold_file.template(store, last, gold_items.GOLD, None, [both[1], "q1"])
    assert both[1] in file and "q1" in file
    assert gold_items.named(store, last, both[0]) == first
    refused = rf"“q0” matches 2 answers. Name one of them: {both[0]}; {both[1]}."
    for look_up in (
        lambda: gold_items.named(store, last, "q0"),
        lambda: single_assignments.item_named(store, named, "q0"),
        lambda: gold_file.template(store, last, gold_items.GOLD, None, ["q0"]),
    ):
        with pytest.raises(Problem, match=refused):
            look_up()
