from concord.samples.load import NAME, load_sample
from concord.store import graders, sheets


def test_the_sample_comes_in_as_one_sheet_with_its_graders(store):
    assert load_sample(store)
    assert sheets.find(store, NAME).items == 192
    simulated = {
        g.name: g.simulated for kind in ("person", "judge") for g in graders.of_kind(store, kind)
    }
    assert not simulated.pop("author")
    assert len(simulated) == 5
    assert all(simulated.values())
    assert all("simulated" in name for name in simulated)


def test_the_sample_is_loaded_once(store):
    assert load_sample(store)
    assert not load_sample(store)
    assert len(sheets.all_sheets(store)) == 1


def test_a_sample_that_was_removed_comes_back_only_on_request(store):
    load_sample(store)
    sheets.delete(store, sheets.find(store, NAME))
    assert not load_sample(store)
    assert sheets.find(store, NAME) is None
    assert load_sample(store, again=True)
