"""Items on disk: the same as were added, and compared as if all were in memory."""

import pytest

from concord.importing.columns import ColumnMap
from concord.importing.deduplicate import GradeStage
from concord.messages import Problem
from concord.model import Grade, Item
from concord.store.spool import Spool
from tests.support.rubrics import rubric


def item(row=1, question="Q", answer="A", model="m", cluster=None, own_id=None, **more) -> Item:
    nothing = {"contexts": (), "reference": (), "reference_contexts": (), "turns": None}
    fields = {"question_id": None, "synthetic": False, "metadata": {}, **nothing, **more}
    return Item(
        own_id=own_id, cluster=cluster, question=question, answer=answer, answer_model=model,
        row=row, **fields,
    )  # fmt: skip


def test_a_full_disk_is_a_problem_that_names_the_remedy(monkeypatch):
    spool = Spool()
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(spool._file, "write", lambda data: (_ for _ in ()).throw(full))
    with pytest.raises(Problem, match="TMPDIR"):
        for row in range(300):
            spool.add(item(row), 9)


NO_COLUMNS = ColumnMap({}, {}, (), (), {})


def grade(score, row=1, item="a", grader="Ana", kind="person", reason=""):
    return Grade("tone", grader, kind, score, reason=reason, row=row, item_key=item)


@pytest.mark.parametrize("scores, kept, folded, bad", [
    ([2, 2, 2], [1], 2, []),
    ([2, 2, 3], [], 0, [1, 2, 3]),
    ([2, 3, 3], [], 0, [1, 2, 3]),
    ([2, 2.0], [1], 1, []),
    ([], [], 0, []),
])  # fmt: skip
def test_repeated_grades_fold_and_contradicting_ones_are_all_refused(scores, kept, folded, bad):
    streamed = GradeStage()
    other = grade(1, row=9, item="b")
    for one in [*(grade(s, n) for n, s in enumerate(scores, 1)), other]:
        streamed.add(one)
    good = streamed.compared(NO_COLUMNS)
    assert [one.row for one in good] == [*kept, 9]
    assert (streamed.folded, [fault.row for fault in streamed.bad]) == (folded, bad)


def test_grades_of_refused_items_and_whole_numbers_off_the_scale_are_lost():
    streamed = GradeStage([rubric("tone")])
    judged = [grade(7, 1, "a", "j", "judge"), grade(2, 2, "b", "j", "judge")]
    mixed = [grade(7, 3, "a", "k", "judge"), grade(2.5, 4, "b", "k", "judge")]
    for one in [*judged, *mixed, grade(1, 5, "b"), grade(1, 6, "c")]:
        streamed.add(one)
    good = streamed.compared(NO_COLUMNS, {"b"})
    assert [one.row for one in good] == [3, 6]
    assert [fault.row for fault in streamed.bad] == [1]


def test_an_import_holds_a_hash_of_each_grade_and_of_each_repeated_row(peak):
    said = [f"score:annotator:{name}:correctness={name}" for name in ("ana", "ben")]

    def of(answers: int) -> int:
        rows = [f"Question {n}?,{n} {'word ' * 50},{n % 4},{n % 3}" for n in range(answers)]
        return peak("question,answer,ana,ben", rows * 2, answers, mapped=said)

    few = of(300)
    assert of(900) - few < 600 * 1_000  # bytes; four grades and two rows would take 3,400
