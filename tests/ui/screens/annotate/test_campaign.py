"""The lead shares out a grading set on its screen, moves a block, and lets somebody leave."""

from concord.grading import assignments, campaigns, grading_sets, pauses, workspace
from concord.store import graders
from concord.ui.screens.annotate import set_annotators
from tests.support.screens import opened


def words(app) -> str:
    return " ".join(part.value for part in (*app.markdown, *app.info, *app.warning, *app.error))


def test_a_set_is_shared_out_a_block_moved_and_a_person_leaves(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo, _ = (graders.ensure(store, "person", name) for name in ("Ann", "Bo", "Cleo"))
    key = f"campaign.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert app.button(key=f"{key}.begin").disabled
    why = "Choose annotators first."  # also where there is no hover
    assert why == app.button(key=f"{key}.begin").help and why in [one.value for one in app.caption]
    app.multiselect(key=f"{key}.names").set_value(["Ann"]).run()
    assert why not in [one.value for one in app.caption]
    assert app.number_input(key=f"{key}.alone").value == 1
    app.multiselect(key=f"{key}.names").set_value(["Ann", "Bo"]).run()
    assert app.number_input(key=f"{key}.each").value == 2
    assert "Each annotator grades 6 of 6 blocks; every two annotators share 6." in words(app)
    app.slider(key=f"{key}.shared").set_value(50).run()
    app.text_input(key=f"{key}.until").set_value("24.12.2026")
    app.button(key=f"{key}.begin").click().run()
    assert "“24.12.2026” is not a date." in words(app)
    assert campaigns.find(store, made.id) is None
    app.text_input(key=f"{key}.until").set_value("2026-12-24")
    app.button(key=f"{key}.begin").click().run()
    assert not app.exception and not app.error
    assert "Due 2026-12-24." in words(app)
    app.text_input(key=f"{key}.until.2026-12-24").set_value("2027-01-15").run()
    assert campaigns.find(store, made.id).deadline == "2027-01-15"
    app.text_input(key=f"{key}.until.2027-01-15").set_value("soon").run()
    assert "“soon” is not a date." in words(app)
    assert campaigns.find(store, made.id).deadline == "2027-01-15"
    app.text_input(key=f"{key}.until.2027-01-15").set_value("").run()
    assert campaigns.find(store, made.id).deadline is None and not app.error
    assert "to 2 annotators. Blocks assigned to 2 annotators each: 3 of 6." in words(app)
    assert app.header[0].value == "No annotator has begun to grade yet"
    assert "Ann: 0 of " in " ".join(bar.proto.text for bar in app.get("progress"))
    shared = {seat.block for seat in campaigns.taken(store, made.id) if seat.seat}
    [single, *_] = {*campaigns.blocks_of(store, made, ann)} - shared
    app.selectbox(key=f"{key}.from").set_value(ann).run()
    app.selectbox(key=f"{key}.block").set_value(single).run()
    app.selectbox(key=f"{key}.to").set_value(bo).run()
    app.button(key=f"{key}.move").click().run()
    assert single in campaigns.blocks_of(store, made, bo)
    app.selectbox(key=f"{key}.from").set_value(ann).run()
    app.button(key=f"{key}.leave").click().run()
    assert campaigns.blocks_of(store, made, ann) == []
    assert campaigns.blocks_of(store, made, bo) == [*range(6)]
    assert "Blocks that lack an annotator:" in words(app)
    assert "to 1 annotator: each block to one." in words(app)
    app.selectbox(key=f"{key}.from").set_value(bo).run()
    app.button(key=f"{key}.leave").click().run()
    assert not app.exception and len(campaigns.unassigned(store, made.id)) == 9
    app.selectbox(key=f"{key}.block").set_value(0).run()
    app.selectbox(key=f"{key}.to").set_value(ann).run()
    app.button(key=f"{key}.move").click().run()
    assert campaigns.blocks_of(store, made, ann) == [0]


def test_a_person_who_left_is_told_apart_and_the_grades_stay(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo = (graders.ensure(store, "person", name) for name in ("Ann", "Bo"))
    campaigns.begin(store, made, [ann, bo], 1, 0.0)
    assignments.queue(store, made, ann, list(rubric[1].versions().values()), 1)
    place = store.value("select id from assignments where grader_id = ?", (ann,))
    key = workspace.Key("one", place, next(iter(rubric[1].versions().values())), "scored", 2)
    workspace.save(store, made, ann, rubric[1], [key])
    campaigns.leave(store, made, ann, "Lea")
    pauses.pause(store, bo, "Lea")
    since = pauses.of(store, bo).since[:10]
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert "Assigned to 1 annotator: each block to one." in words(app)
    left = [part.value for part in app.markdown if part.value.startswith("Ann: ")]
    assert any("Removed; ungraded answers there are unassigned" in one for one in left)
    assert any(part.value.endswith(f" · paused since {since}") for part in app.markdown)
    assert [(one.name, one.gone) for one in set_annotators.annotators(store, made)] == [
        ("Ann", True),
        ("Bo", False),
    ]


def test_a_block_is_offered_first_to_one_who_can_take_it(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    names = ("Ann", "Bo", "Cleo", "Dee", "Eve")
    ann, bo, cleo, dee, eve = (graders.ensure(store, "person", name) for name in names)
    campaigns.begin(store, made, [ann, bo, dee, cleo], 2, 1.0)
    pauses.pause(store, cleo, "Lea")
    taken = campaigns.taken(store, made.id).items()
    at = {n: {person for seat, person in taken if seat.block == n} for n in range(6)}
    key = f"campaign.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    [block, *_] = sorted(number for number, there in at.items() if ann in there)
    assert (app.selectbox(key=f"{key}.from").value, app.selectbox(key=f"{key}.block").value) == (
        *(ann, block),
    )
    free = [one for one in (bo, dee) if one not in at[block]]
    paused = [cleo] if cleo not in at[block] else []
    wanted = [graders.get(store, one).name for one in (*free, eve, *paused)]
    assert app.selectbox(key=f"{key}.to").options == wanted


def test_a_block_is_moved_only_where_there_is_another_annotator(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Alone", None, 1, 6, 0.0)
    campaigns.begin(store, made, [graders.ensure(store, "person", "Ann")], 1, 0.0)
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert app.button(key=f"campaign.{made.id}.move").disabled
    assert "There is no other annotator yet." in [one.value for one in app.caption]


def test_a_block_is_never_said_to_hold_more_answers_than_the_set(store, four, rubric, monkeypatch):
    made = grading_sets.create(store, four.id, rubric[0], "Small", None, 1, 30, 0.0)
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    app.multiselect(key=f"campaign.{made.id}.names").set_value(["Ann"]).run()
    assert "Answers per block: 4." in words(app)


def test_the_card_of_a_set_says_who_is_paused(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo = (graders.ensure(store, "person", name) for name in ("Ann", "Bo"))
    campaigns.begin(store, made, [ann, bo], 1, 0.0)
    pauses.pause(store, ann, "Lea")
    since = pauses.of(store, ann).since[:10]
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    lines = [bar.proto.text for bar in app.get("progress")]
    assert [f"paused since {since}" in line for line in lines] == [True, False]
