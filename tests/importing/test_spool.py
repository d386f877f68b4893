"""Items on disk: the same as were added, and compared as if all were in memory."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.importing import answer_file, sheet_import
from concord.importing import spool as spool_module
from concord.importing.deduplicate import ItemGathering, StreamedGrades, StreamedItems
from concord.importing.spool import ItemSpool, RowSpool, Spooled
from concord.messages import Problem
from concord.model import Context, Grade, Item


def item(row=1, question="Q", answer="A", model="m", cluster=None, own_id=None, **more) -> Item:
    nothing = {"contexts": (), "reference": (), "reference_contexts": (), "turns": None}
    fields = {"question_id": None, "synthetic": False, "metadata": {}, **nothing, **more}
    return Item(
        own_id=own_id, cluster=cluster, question=question, answer=answer, answer_model=model,
        row=row, **fields,
    )  # fmt: skip


FULL = item(
    question="温度?",
    contexts=(Context("c1", "d1", "Text.", 1), Context("", "", "", 7)),
    reference=("One.", "Two."),
    turns=({"role": "user", "content": "Hi", "tool_calls": [{"name": "f", "args": {"x": [1]}}]},),
    metadata={"team": "red", "nested": {"a": [1, 2.5, None, True, 2**80]}},
)


def test_rows_come_back_with_their_columns_in_order(monkeypatch):
    monkeypatch.setattr(spool_module, "_IN_MEMORY", 1)
    rows = [{"a": "x" * n, "b": None} if n % 2 else {"c": [{"d": n}]} for n in range(600)]
    spool = RowSpool()
    for row in rows:
        spool.add(row)
    assert [*spool] == rows == [*spool]
    assert (spool.count, [*spool.columns]) == (600, ["c", "a", "b"])


def test_an_item_comes_back_from_the_disk_as_it_was_added(monkeypatch):
    monkeypatch.setattr(spool_module, "_IN_MEMORY", 1)
    spool = ItemSpool()
    added = [(FULL._replace(row=n), n + 1) for n in range(600)]
    for one, line in added:
        spool.add(one, line)
    assert [*spool.rows()] == added == [*spool.rows()]
    assert type(next(spool.rows())[0].contexts[0]) is Context


def test_spooled_items_are_a_sequence_without_those_left_out():
    spool = ItemSpool()
    for row in range(300):
        spool.add(item(row), None)
    kept = bytearray(b"\0" + b"\1" * 298 + b"\0")
    items = Spooled(spool, kept, {2: item(1000)})
    assert (len(items), items[0].row, items[1].row, items[-1].row) == (298, 1, 1000, 298)
    assert [one.row for one in items[1:4]] == [1000, 3, 4]
    assert [one.row for one in items[3:1:-1]] == [4, 3]
    assert items[300:] == []
    with pytest.raises(IndexError):
        items[298]


def test_a_full_disk_is_a_problem_that_names_the_remedy(monkeypatch):
    spool = ItemSpool()
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(spool._file, "write", lambda data: (_ for _ in ()).throw(full))
    with pytest.raises(Problem, match=r"No space left on device\. Free some space"):
        for row in range(300):
            spool.add(item(row), None)


def grade(score, row=1, item="a", grader="Ana", kind="person", reason=""):
    return Grade(
        None, None, None, "tone", grader, kind, score, reason=reason, row=row, item_key=item
    )


@pytest.mark.parametrize("scores, kept, folded, bad", [
    ([2, 2, 2], [1], 2, []),
    ([2, 2, 3], [], 1, [1, 3]),
    ([2, 3, 3], [], 0, [1, 2, 3]),
    ([2, 2.0], [1], 1, []),
    ([], [], 0, []),
])  # fmt: skip
def test_repeated_grades_fold_and_contradicting_ones_are_all_refused(scores, kept, folded, bad):
    streamed = StreamedGrades(range(4))
    other = grade(1, row=9, item="b")
    for line, one in enumerate([*(grade(s, n) for n, s in enumerate(scores, 1)), other]):
        streamed.add(one, line)
    good, faults = streamed.gathered()
    assert [one.row for one in good] == [*kept, 9]
    assert (streamed.folded, [fault.row for fault in faults]) == (folded, bad)
    assert sum(streamed.lost.values()) == sum(streamed.left_out.values()) == len(bad)


def test_grades_of_refused_items_and_whole_numbers_off_the_scale_are_lost():
    streamed = StreamedGrades(range(4))
    judged = [grade(7, 1, "a", "j", "judge"), grade(2, 2, "b", "j", "judge")]
    mixed = [grade(7, 3, "a", "k", "judge"), grade(2.5, 4, "b", "k", "judge")]
    for line, one in enumerate([*judged, *mixed, grade(1, 5, "b"), grade(1, 6, "c")]):
        streamed.add(one, line)
    good, faults = streamed.gathered({"b"})
    assert [one.row for one in good] == [3, 6]
    assert [(fault.row, fault.field) for fault in faults] == [(1, "score")]
    assert streamed.lost == {"j": 2, "k": 1, "Ana": 1}


def test_rows_that_only_share_a_hash_are_not_taken_for_repeats(monkeypatch):
    def alike(given):  # but for contents, which are compared as they are printed
        return hash(given) if isinstance(given, str) and given.startswith("(") else 1

    monkeypatch.setattr("concord.importing.deduplicate.hash", alike, raising=False)
    streamed, items = StreamedGrades(range(4)), StreamedItems()
    for row in (1, 2, 3):
        streamed.add(grade(1, row, item=str(row)), row)
        items.add(item(row, own_id=str(row)), row)
    assert [one.row for one in streamed.gathered()[0]] == [1, 2, 3]
    assert [one.row for one in items.gathered()[0]] == [1, 2, 3]


ROWS = st.lists(
    st.builds(
        item,
        row=st.integers(1, 9),
        question=st.sampled_from(["Q", "q ", "R"]),
        answer=st.sampled_from(["A", "B"]),
        cluster=st.sampled_from([None, None, "c", "d"]),
        own_id=st.sampled_from([None, None, "1", "2"]),
        question_id=st.sampled_from([None, "q1"]),
        metadata=st.sampled_from([{}, {"team": "red"}, {"judge_date": "2026-01-01"}]),
    ),
    max_size=8,
)


@given(ROWS)
def test_items_on_disk_are_compared_as_items_in_memory(rows):
    in_memory, streamed = ItemGathering(), StreamedItems()
    for line, row in enumerate(rows):
        assert in_memory.add(row, line) == streamed.add(row, line)
    items, compared = streamed.gathered()
    assert [*items] == in_memory.items()
    assert [*compared.faults()] == [*in_memory.faults()]
    assert [*compared.left_out()] == [*in_memory.left_out()]
    assert compared.folded_rows == in_memory.folded_rows
    assert compared.respelled_rows == in_memory.respelled_rows


def test_an_import_holds_digests_of_the_answers_and_not_their_texts(peak):
    words, texts = "word " * 100, "text " * 50

    def of(answers: int) -> int:
        rows = (f'Question {n}?,{n} {words},"[""{n} {texts}""]"' for n in range(answers))
        return peak("question,answer,contexts", rows, answers)

    few = of(1_500)
    assert of(3_000) - few < 1_500 * 250  # bytes; each answer has 750 characters and more


def test_an_import_holds_a_hash_of_each_grade_and_of_each_repeated_row(peak):
    said = [f"score:annotator:{name}:correctness={name}" for name in ("ana", "ben")]

    def of(answers: int) -> int:
        rows = [f"Question {n}?,{n} {'word ' * 50},{n % 4},{n % 3}" for n in range(answers)]
        return peak("question,answer,ana,ben", rows * 2, answers, mapped=said)

    few = of(300)
    assert of(900) - few < 600 * 1_000  # bytes; four grades and two rows would take 3,400


def test_importing_a_sheet_again_holds_numbers_and_not_its_texts(
    peak, store, rubric, tmp_path, monkeypatch
):
    def of(answers: int) -> int:
        rows = [f"Question {n} {'word ' * 80}?,{n} {'word ' * 50}" for n in range(answers)]
        peak("question,answer", rows, answers)
        path = tmp_path / f"{answers}.csv"
        path.write_text("\n".join(["question,answer", *rows]), encoding="utf-8")
        tracemalloc.start()
        try:
            read = answer_file.load(path)
            taken = sheet_import.take_sheet(store, read, path.stem)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            assert (taken.items, taken.items_unchanged) == (0, answers)

    few = of(1_500)
    assert of(3_000) - few < 1_500 * 250  # bytes; each question has 400 characters and more
