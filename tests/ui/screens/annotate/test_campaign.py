"""The lead shares out a grading set on its screen, moves a block, and lets somebody leave."""

from concord.grading import campaigns, grading_sets
from concord.store import graders
from tests.support.screens import opened


def type_in(app, key: str, name: str) -> None:
    """Type a name that is not listed: AppTest sends listed options alone."""
    app.selectbox(key=key).options.append(name)
    app.selectbox(key=key).set_value(name).run()
    app.selectbox(key=key).options.append(name)


def test_a_set_is_shared_out_a_block_moved_and_a_person_leaves(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo, _ = (graders.ensure(store, "person", name) for name in ("Ann", "Bo", "Cleo"))
    key = f"campaign.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert app.button(key=f"{key}.begin").disabled
    app.multiselect(key=f"{key}.names").set_value(["Ann", "Bo"]).run()
    assert app.number_input(key=f"{key}.each").value == 2
    app.slider(key=f"{key}.shared").set_value(50).run()
    app.text_input(key=f"{key}.until").set_value("24.12.2026")
    app.button(key=f"{key}.begin").click().run()
    assert campaigns.find(store, made.id) is None
    app.text_input(key=f"{key}.until").set_value("2026-12-24")
    app.button(key=f"{key}.begin").click().run()
    assert not app.exception and not app.error
    app.text_input(key=f"{key}.until.2026-12-24").set_value("2027-01-15").run()
    assert campaigns.find(store, made.id).deadline == "2027-01-15"
    app.text_input(key=f"{key}.until.2027-01-15").set_value("soon").run()
    assert campaigns.find(store, made.id).deadline == "2027-01-15"
    app.text_input(key=f"{key}.until.2027-01-15").set_value("").run()
    assert campaigns.find(store, made.id).deadline is None and not app.error
    shared = {seat.block for seat in campaigns.taken(store, made.id) if seat.seat}
    [single, *_] = {*campaigns.blocks_of(store, made, ann)} - shared
    app.selectbox(key=f"{key}.from").set_value(ann).run()
    app.selectbox(key=f"{key}.block").set_value(single).run()
    assert app.selectbox(key=f"{key}.to").value is None and app.button(key=f"{key}.move").disabled
    app.selectbox(key=f"{key}.to").set_value("Bo").run()
    app.button(key=f"{key}.move").click().run()
    assert app.selectbox(key=f"{key}.to").value is None
    assert single in campaigns.blocks_of(store, made, bo)
    app.selectbox(key=f"{key}.from").set_value(ann).run()
    app.button(key=f"{key}.leave").click().run()
    assert campaigns.blocks_of(store, made, ann) == []
    assert campaigns.blocks_of(store, made, bo) == [*range(6)]
    app.selectbox(key=f"{key}.from").set_value(bo).run()
    app.button(key=f"{key}.leave").click().run()
    assert not app.exception and len(campaigns.unassigned(store, made.id)) == 9
    app.selectbox(key=f"{key}.block").set_value(0).run()
    type_in(app, f"{key}.to", "Ann")
    app.button(key=f"{key}.move").click().run()
    assert campaigns.blocks_of(store, made, ann) == [0]


def test_all_blocks_are_moved_or_none(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo = (graders.ensure(store, "person", name) for name in ("Ann", "Bo"))
    campaigns.begin(store, made, [ann, bo], 2, 0.5)
    before = campaigns.taken(store, made.id)
    key = f"campaign.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    app.selectbox(key=f"{key}.block").set_value(-1).run()
    type_in(app, f"{key}.to", "Bo")
    app.button(key=f"{key}.move").click().run()
    assert campaigns.taken(store, made.id) == before
