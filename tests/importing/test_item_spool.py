"""Items on disk: the same as were added, and compared as if all were in memory."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.importing import answer_file, item_spool, sheet_import
from concord.importing.deduplicate import ItemGathering, StreamedItems
from concord.importing.item_spool import ItemSpool, SpooledItems
from concord.messages import Problem
from concord.model import Context, Item


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


def test_an_item_comes_back_from_the_disk_as_it_was_added(monkeypatch):
    monkeypatch.setattr(item_spool, "_IN_MEMORY", 1)
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
    items = SpooledItems(spool, 300, {0: None, 2: item(1000), 299: None})
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


def test_an_import_holds_digests_of_the_answers_and_not_their_texts(store, tmp_path, monkeypatch):
    monkeypatch.setattr(item_spool, "_IN_MEMORY", 1 << 16)

    words, texts = "word " * 100, "text " * 50

    def peak(answers: int) -> int:
        path = tmp_path / f"{answers}.csv"
        rows = (f'Question {n}?,{n} {words},"[""{n} {texts}""]"' for n in range(answers))
        path.write_text("question,answer,contexts\n" + "\n".join(rows), encoding="utf-8")
        tracemalloc.start()
        try:
            taken = sheet_import.take_sheet(store, answer_file.load(path), path.stem)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            assert taken.items == answers

    few = peak(2_000)
    assert peak(6_000) - few < 4_000 * 250  # bytes; each answer has 750 characters and more
