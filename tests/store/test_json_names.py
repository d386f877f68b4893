from concord.store.json_names import RENAMED, renamed


def test_old_names_are_read_as_new_ones_at_any_depth():
    old = {"rows": [{"caught": {"value": 0.5}, "constant_baseline": {"caught": 0.0}}], "n": 2}
    new = {
        "rows": [{"failure_recall": {"value": 0.5}, "majority_baseline": {"failure_recall": 0.0}}],
        "n": 2,
    }
    assert renamed(old) == new == renamed(new)


def test_no_new_name_is_an_old_one():
    assert not {*RENAMED} & {*RENAMED.values()}


def test_names_that_a_user_gave_stay():
    scores = {"items": [{"scores": {"role": 2, "people": 3}, "role": "sealed"}]}
    assert renamed(scores) == {"items": [{"scores": {"role": 2, "people": 3}, "split": "sealed"}]}
