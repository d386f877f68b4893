"""Batches in the store: what is owed is in flight until it has landed or the batch is closed."""

from concord.store import batches
from concord.store.batches import Question


def added(store, sheet, rubric, grader_id, names="abc"):
    owed = [Question(name, f"hash {name}", "", 1, f'{{"{name}": 1}}') for name in names]
    with store.write():
        return batches.add(store, grader_id, sheet.id, rubric[0], "t", {"limit": 1}, {}, 2.5, owed)


def test_what_an_open_batch_owes_is_in_flight_until_it_lands(store, sheet, rubric, judge_id):
    batch_id = added(store, sheet, rubric, judge_id)
    assert batches.in_flight(store, [judge_id]) == {(f"hash {n}", "", 1) for n in "abc"}
    with store.write():
        batches.mark_received(store, batch_id, ["b"])
    assert batches.in_flight(store, [judge_id]) == {("hash a", "", 1), ("hash c", "", 1)}
    assert batches.unanswered_requests(store, batch_id)[1] == ("c", "hash c", "", 1)
    assert batches.request(store, batch_id, "c") == '{"c": 1}'


def test_a_closed_batch_owes_nothing_and_stays_on_record(store, sheet, rubric, judge_id):
    batch_id = added(store, sheet, rubric, judge_id)
    assert [batch.id for batch in batches.pending(store, sheet.id, judge_id)] == [batch_id]
    batches.close(store, batch_id, "expired", "Some were not answered in time.")
    assert (batches.in_flight(store, [judge_id]), batches.pending(store, sheet.id, judge_id)) == (
        set(),
        [],
    )
    kept = batches.get(store, batch_id)
    assert (kept.status, kept.questions, kept.budget) == ("expired", 3, 2.5)
    assert kept.closed_at and kept.message


def test_the_providers_last_word_is_kept(store, sheet, rubric, judge_id):
    batch_id = added(store, sheet, rubric, judge_id)
    batches.note_file(store, batch_id, "file-1")
    batches.note_status(store, batch_id, "batch-1", "in_progress", {"request_counts": {"total": 3}})
    kept = batches.get(store, batch_id)
    assert (kept.file_id, kept.remote_id, kept.status) == ("file-1", "batch-1", "in_progress")
    assert kept.told["request_counts"] == {"total": 3}
