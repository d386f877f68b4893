"""The rubric screen: reading, editing a copy, new versions, and carrying grades over."""

from concord.grading import grading_sets
from concord.rubrics.model import parse, presets
from concord.rubrics.rubric_toml import as_toml
from concord.store.rubrics import rubric_edits, rubric_versions
from concord.ui.screens.rubrics import criterion_html

PAGE = "pages/rubrics.py"

MEANING = "rubric.0.correctness.0"


def test_nothing_in_a_rubric_becomes_markup():
    text = as_toml(presets()["doc-qa-0-3"]).replace("Incorrect", "<img src=x onerror=alert(1)>")
    rubric = parse(text, "test")
    html = criterion_html(rubric, rubric.criteria[0])
    assert "<img" not in html
    assert "&lt;img" in html


def test_an_edit_of_wording_only_carries_its_grades_with_the_reason(screen, store, graded_preset):
    app = screen(rubric="doc-qa-0-3", edit="1")
    app = app.text_area(key=MEANING).set_value("Nothing right at all.").run()
    app = app.checkbox(key="rubric.carry.correctness").check().run()
    app = app.button(key="rubric.save").click().run()
    assert app.error  # a reason is missing
    app = app.text_input(key="rubric.carry.correctness.why").set_value("Shorter, same sense.").run()
    app.button(key="rubric.save").click().run()
    _, saved = rubric_versions.named(store, "my-doc-qa-0-3")
    old, new = (r.versions()["correctness"] for r in (graded_preset, saved))
    assert set(rubric_versions.counting(store, new)) == {old, new}
    history = rubric_edits.history(store, "doc-qa-0-3")
    assert history[0].counted_in == ((new, "Shorter, same sense."),)


def test_what_was_typed_outlasts_a_new_criterion_and_another_scale(screen, store, graded_preset):
    own = graded_preset.model_copy(update={"name": "ours", "title": "Ours"})
    rubric_versions.register(store, own, "app")
    app = screen(rubric="ours", edit="1")
    assert app.button(key="rubric.save").disabled and not app.error  # nothing differs as it opens
    app.text_area(key=MEANING).set_value("All wrong.").run()
    app.text_input(key="rubric.0.correctness.weight").set_value("a lot").run()
    assert app.error and not [one for one in app.button if one.key == "rubric.save"]
    app.text_input(key="rubric.0.new").set_value("Tone").run()
    app.button(key="rubric.0.add").click().run()
    app.text_input(key="rubric.1.scale").set_value("0, x").run()
    assert app.error
    app.text_input(key="rubric.1.scale").set_value("").run()
    assert app.error and app.text_area(key="rubric.1.correctness.3").value
    app.text_input(key="rubric.1.scale").set_value("0, 1, 2").run()
    draft = app.session_state["rubric.held"]["draft"]
    first, *_, tone = draft.criteria
    assert (first.levels[0].meaning, draft.scale, tone.name) == ("All wrong.", (0, 1, 2), "tone")
    assert first.levels[1:] == own.criteria[0].levels[1:3]  # with their examples
    assert first.levels[0].examples == own.criteria[0].levels[0].examples


def saved(store, name="my-doc-qa-0-3"):
    return rubric_versions.named(store, name)[1]


def test_a_translation_keeps_every_version_and_annotators_read_it(
    screen, store, sheet, graded_preset
):
    own = graded_preset.model_copy(update={"name": "ours", "title": "Ours", "translations": ()})
    made = grading_sets.create(
        store, sheet.id, rubric_versions.register(store, own, "app"), "Team", None, 1
    )
    app = screen(rubric="ours", edit="1")
    app.selectbox(key="rubric.language").set_value("ko").run()
    app.text_input(key="rubric.0.in.ko.title").set_value("우리").run()
    app.text_input(key="rubric.0.in.ko.correctness.title").set_value("정확성").run()
    app.text_area(key="rubric.0.in.ko.correctness.0").set_value("틀림").run()
    app.button(key="rubric.save").click().run()
    found = saved(store, "ours")
    assert found.versions() == graded_preset.versions()
    assert parse(as_toml(found), "again") == found
    held = rubric_versions.get(store, grading_sets.get(store, made.id).rubric_id)
    read = rubric_versions.as_translated(store, held).in_language("ko")
    assert (read.title, read.criteria[0].heading()) == ("우리", "정확성")
    assert read.criteria[0].levels[0].meaning == "틀림"
    assert read.criteria[0].levels[1] == graded_preset.criteria[0].levels[1]
