"""The lead shares out a grading set on its screen, moves a block, and lets somebody leave."""

from concord.grading import assignments, campaigns, grading_sets, pauses, workspace
from concord.reports.workflow import campaign as report
from concord.store import graders
from concord.ui.screens.annotate import set_annotators
from tests.support.screens import opened


def words(app) -> str:
    return " ".join(part.value for part in (*app.markdown, *app.info, *app.warning, *app.error))


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
    why = "Choose annotators first."  # also where there is no hover
    assert why == app.button(key=f"{key}.begin").help and why in [one.value for one in app.caption]
    app.multiselect(key=f"{key}.names").set_value(["Ann"]).run()
    assert why not in [one.value for one in app.caption]
    assert app.number_input(key=f"{key}.alone").value == 1
    app.multiselect(key=f"{key}.names").set_value(["Ann", "Bo"]).run()
    assert app.number_input(key=f"{key}.each").value == 2
    assert "Each annotator grades 6 of 6 blocks; every two annotators share 6." in words(app)
    assert any("Or mix in gold items" in one.value for one in app.caption)
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
    assert app.selectbox(key=f"{key}.to").value is None and app.button(key=f"{key}.move").disabled
    app.selectbox(key=f"{key}.to").set_value("Bo").run()
    app.button(key=f"{key}.move").click().run()
    assert f"Block {single + 1} is now assigned to Bo." in [one.value for one in app.success]
    assert app.selectbox(key=f"{key}.to").value is None
    assert single in campaigns.blocks_of(store, made, bo)
    app.selectbox(key=f"{key}.from").set_value(ann).run()
    assert any("Their grades stay and count." in part.value for part in app.markdown)
    app.button(key=f"{key}.leave").click().run()
    assert any(one.value.startswith("Ann has left the set. Block") for one in app.success)
    assert campaigns.blocks_of(store, made, ann) == []
    assert campaigns.blocks_of(store, made, bo) == [*range(6)]
    assert "Blocks that lack an annotator:" in words(app)
    assert "to 1 annotator: each block to one." in words(app)
    app.selectbox(key=f"{key}.from").set_value(bo).run()
    app.button(key=f"{key}.leave").click().run()
    assert not app.exception and len(campaigns.unassigned(store, made.id)) == 9
    app.selectbox(key=f"{key}.block").set_value(0).run()
    type_in(app, f"{key}.to", "Ann")
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
    assert app.selectbox(key=f"campaign.{made.id}.from").value == ann
    assert not [one for one in app.button if one.key == f"campaign.{made.id}.leave"]
    assert any(part.value.endswith(f" · paused since {since}") for part in app.markdown)
    assert [(one.name, one.gone) for one in set_annotators.annotators(store, made)] == [
        ("Ann", True),
        ("Bo", False),
    ]


def test_who_has_no_block_left_and_graded_nothing_is_on_no_list(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo, _ = (graders.ensure(store, "person", name) for name in ("Ann", "Bo", "Cleo"))
    campaigns.begin(store, made, [ann, bo], 1, 0.0)
    assignments.queue(store, made, ann, list(rubric[1].versions().values()), 1)  # opened once
    blocks = campaigns.blocks_of(store, made, ann)
    campaigns.move_to(store, made, blocks, ann, "Cleo", "Lea", "")
    assert [one.name for one in set_annotators.annotators(store, made)] == ["Bo", "Cleo"]
    assert [one.name for one in report.progress(store, made).annotators] == ["Bo", "Cleo"]
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    bars = [bar.proto.text for bar in app.get("progress")]
    assert [bar.split(":")[0] for bar in bars] == ["Bo", "Cleo"]


def test_a_block_is_offered_first_to_one_who_can_take_it(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    names = ("Ann", "Bo", "Cleo", "Dee", "Eve")
    ann, bo, cleo, dee, _ = (graders.ensure(store, "person", name) for name in names)
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
    wanted = [graders.get(store, one).name for one in (*free, *paused)]
    assert app.selectbox(key=f"{key}.to").options == wanted


def test_all_blocks_of_an_annotator_go_to_a_new_one_in_one_step(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Alone", None, 1, 6, 0.0)
    ann = graders.ensure(store, "person", "Ann")
    campaigns.begin(store, made, [ann], 1, 0.0)
    key = f"campaign.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert app.selectbox(key=f"{key}.to").options == []
    assert "Choose an annotator first." in [one.value for one in app.caption]
    app.selectbox(key=f"{key}.block").set_value(-1).run()
    type_in(app, f"{key}.to", "Eva")
    app.text_input(key=f"{key}.why").set_value("ill")
    app.button(key=f"{key}.move").click().run()
    done = "Blocks 1, 2, 3, 4, 5, 6 are now assigned to Eva."
    assert done in [one.value for one in app.success]
    eva = graders.find(store, "person", "Eva").id
    assert campaigns.blocks_of(store, made, eva) == [*range(6)]
    assert {*store.column("select why from block_moves where grader_id = ?", (eva,))} == {"ill"}
    assert app.text_input(key=f"{key}.why").value == ""  # the next step has a reason of its own


def test_all_blocks_are_moved_or_none(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo = (graders.ensure(store, "person", name) for name in ("Ann", "Bo"))
    campaigns.begin(store, made, [ann, bo], 2, 0.5)
    shared = sorted(seat.block for seat in campaigns.taken(store, made.id) if seat.seat)
    before = campaigns.taken(store, made.id)
    key = f"campaign.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    app.selectbox(key=f"{key}.block").set_value(-1).run()
    type_in(app, f"{key}.to", "Bo")
    app.button(key=f"{key}.move").click().run()
    assert f"This annotator already grades block {shared[0] + 1}." in words(app)
    assert campaigns.taken(store, made.id) == before


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


def test_a_finished_block_of_who_left_has_nothing_to_move(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo = (graders.ensure(store, "person", name) for name in ("Ann", "Bo"))
    campaigns.begin(store, made, [ann, bo], 1, 0.0)
    versions = list(rubric[1].versions().values())
    assignments.queue(store, made, ann, versions, 9)
    block = campaigns.blocks_of(store, made, ann)[0]
    query = "select id from assignments where grader_id = ? and block = ?"
    for row in store.rows(query, (ann, block)):
        key = workspace.Key(str(row["id"]), row["id"], versions[0], "scored", 2)
        workspace.save(store, made, ann, rubric[1], [key])
    assert campaigns.leave(store, made, ann, "Lea").begun == []
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert f"Ann: {block + 1} · left the set" in [part.value for part in app.markdown]


def test_totals_beyond_the_answers_are_explained_also_where_each_has_a_part(
    store, sheet, rubric, monkeypatch
):
    shown = {}
    for name, repeats in (("Without", 0.0), ("With", 0.2)):
        made = grading_sets.create(store, sheet.id, rubric[0], name, None, 1, 6, repeats)
        annotators = [graders.ensure(store, "person", each) for each in ("Ann", "Bo")]
        campaigns.begin(store, made, annotators, 1, 0.0)
        app = opened(monkeypatch, store.path, "pages/annotate.py")
        assert not app.exception
        shown[name] = sum("hidden repeats" in one.value for one in app.caption)
        assert assignments.of_set(store, made)[1] < 2 * made.answers
    assert shown == {"Without": 0, "With": 1}
