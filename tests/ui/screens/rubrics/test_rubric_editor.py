"""The rubric screen: reading, editing a copy, new versions, and carrying grades over."""

import pytest
from streamlit.testing.v1 import AppTest

from concord.grading import grading_sets
from concord.resources import ROOT
from concord.rubrics.model import parse, presets
from concord.rubrics.writer import as_toml
from concord.store import grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_edits, rubric_freezes, rubric_versions
from concord.ui.screens.rubrics.rubric_card import criterion_html, shown_sentence
from tests.support.patience import PATIENT_S

MEANING = "rubric.correctness.0"


@pytest.fixture
def screen(store, monkeypatch):
    monkeypatch.setenv("CONCORD_DB", store.path)

    def opened(**query) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENT_S).run()
        app.query_params.update(query)
        return app.switch_page("pages/rubric.py").run()

    return opened


@pytest.fixture
def graded(store, sheet, rubric, ana):
    """One grade of Ana under the preset's correctness."""
    grades.record(store, [Press(1, rubric[1].versions()["correctness"], ana, score=2)])
    return rubric[1]


def words(app: AppTest) -> str:
    kinds = (app.header, app.markdown, app.caption, app.error, app.checkbox)
    return " ".join(
        str(e.label if kind is app.checkbox else e.value) for kind in kinds for e in kind
    )


def test_every_preset_reads_as_a_grader_needs_it(screen):
    for name, rubric in presets().items():
        app = screen(rubric=name)
        assert not app.exception
        assert app.header[0].value == rubric.title
        assert f"{rubric.title} ({name})" in app.selectbox(key="pick.rubric").options


def test_a_criterion_shows_every_score_with_its_meaning_and_what_fails():
    rubric = presets()["doc-qa-0-3"]
    html = criterion_html(rubric, rubric.criteria[0])
    assert html.count('class="concord-level"') == 4
    assert html.count('class="fails"') == 2
    assert html.count("<details>") == 4
    assert "weight 0.6" in html
    assert (
        shown_sentence(rubric)
        == "Annotators and judges see the question, the contexts and the answer."
    )


def test_nothing_in_a_rubric_becomes_markup():
    text = as_toml(presets()["doc-qa-0-3"]).replace("Incorrect", "<img src=x onerror=alert(1)>")
    rubric = parse(text, "test")
    html = criterion_html(rubric, rubric.criteria[0])
    assert "<img" not in html
    assert "&lt;img" in html


def test_a_copy_with_other_words_makes_a_new_version_and_leaves_the_old_one(screen, store, graded):
    app = screen(rubric="doc-qa-0-3", edit="1")
    app = app.text_area(key=MEANING).set_value("All wrong.").run()
    assert "**correctness** gets a new version (meaning of 0 changed); its 1 grade stays" in words(
        app
    )
    assert "**readability** stays as it is." in words(app)
    app = app.button(key="rubric.save").click().run()
    assert not app.exception
    _, saved = rubric_versions.named(store, "my-doc-qa-0-3")
    assert saved.criteria[0].levels[0].meaning == "All wrong."
    assert rubric_versions.hanging(store, saved)["correctness"] == 0
    assert rubric_versions.hanging(store, graded)["correctness"] == 1


def test_an_edit_of_wording_only_carries_its_grades_with_the_reason(screen, store, graded):
    app = screen(rubric="doc-qa-0-3", edit="1")
    app = app.text_area(key=MEANING).set_value("Nothing right at all.").run()
    app = app.checkbox(key="rubric.carry.correctness").check().run()
    app = app.button(key="rubric.save").click().run()
    assert "state why only the wording changed" in words(app)
    app = app.text_input(key="rubric.carry.correctness.why").set_value("Shorter, same sense.").run()
    app.button(key="rubric.save").click().run()
    _, saved = rubric_versions.named(store, "my-doc-qa-0-3")
    old, new = (r.versions()["correctness"] for r in (graded, saved))
    assert set(rubric_versions.counting(store, new)) == {old, new}
    history = rubric_edits.history(store, "doc-qa-0-3")
    assert history[0].counted_in == ((new, "Shorter, same sense."),)


def test_a_saved_copy_is_shown_under_a_title_of_its_own(screen, store):
    app = screen(rubric="doc-qa-0-3")
    for place in ("", "-2"):
        assert app.button(key="rubric.edit").label == "Edit a copy"
        app.button(key="rubric.edit").click().run()
        app.text_area(key=MEANING).set_value(f"All wrong{place}.").run()
        app.button(key="rubric.save").click().run()
        assert app.query_params["rubric"] == f"my-doc-qa-0-3{place}"
        title = rubric_versions.named(store, f"my-doc-qa-0-3{place}")[1].title
        assert app.header[0].value == title
        assert app.button(key="rubric.edit").label == "Edit"
        picker = next(one for one in app.selectbox if str(one.key).startswith("pick.rubric"))
        picker.set_value("doc-qa-0-3").run()
        assert app.header[0].value == presets()["doc-qa-0-3"].title
    titles = [rubric_versions.named(store, name)[1].title for name in rubric_versions.names(store)]
    assert len({*titles}) == len(titles)


def test_an_edit_under_a_frozen_name_asks_and_says_what_becomes_of_the_freeze(
    screen, store, sheet, rubric
):
    own = rubric[1].model_copy(update={"name": "ours"})
    made = grading_sets.create(
        store, sheet.id, rubric_versions.register(store, own, "app"), "Team", None, 1
    )
    rubric_freezes.freeze(store, made, "Lea")
    app = screen(rubric="ours", edit="1")
    assert app.header[0].value == f"Editing {own.title}"
    app.text_area(key=MEANING).set_value("All wrong.").run()
    assert "“Team” (numbers), frozen by Lea on " in words(app) + app.warning[0].value
    assert "keeps the frozen wording" in app.warning[0].value
    assert app.button(key="rubric.save").disabled
    app.text_input(key="rubric.name").set_value("ours-2").run()
    assert not app.warning and not app.button(key="rubric.save").disabled
    app.text_input(key="rubric.name").set_value("ours").run()
    app.checkbox(key="rubric.frozen").check().run()
    app.button(key="rubric.save").click().run()
    assert rubric_versions.named(store, "ours")[1].criteria[0].levels[0].meaning == "All wrong."
    assert rubric_versions.get(store, grading_sets.get(store, made.id).rubric_id) == own


def test_other_weights_keep_every_version(screen, store, graded):
    app = screen(rubric="doc-qa-0-3", edit="1")
    app = app.text_input(key="rubric.correctness.weight").set_value("0.5").run()
    assert "weights must be positive and sum to 1; they sum to 9/10" in words(app)
    assert not [button for button in app.button if button.key == "rubric.save"]
    app = app.text_input(key="rubric.readability.weight").set_value("3/10").run()
    assert "**correctness** keeps its version (weight changed); its 1 grade stays." in words(app)
    app.button(key="rubric.save").click().run()
    _, saved = rubric_versions.named(store, "my-doc-qa-0-3")
    assert saved.versions() == graded.versions()


def test_a_weight_that_is_no_number_is_said(screen):
    app = screen(rubric="doc-qa-0-3", edit="1")
    app = app.text_input(key="rubric.correctness.weight").set_value("much").run()
    assert "the weight “much” is not a number. Write 0.6" in words(app)


def test_a_preset_keeps_its_name_to_itself(screen):
    app = screen(rubric="doc-qa-0-3", edit="1")
    app = app.text_input(key="rubric.name").set_value("doc-qa-0-4").run()
    app = app.button(key="rubric.save").click().run()
    assert "ships with Concord and cannot be changed" in words(app)


def test_the_whole_rubric_can_be_written_as_toml(screen, store):
    app = screen(rubric="doc-qa-0-1", edit="1")
    app = app.segmented_control(key="rubric.view").set_value("Whole rubric (TOML)").run()
    text = app.text_area(key="rubric.toml").value
    app = app.text_area(key="rubric.toml").set_value(text.replace("weight", "wieght", 1)).run()
    assert "unknown key; remove it or correct its spelling" in words(app)
    app = app.text_area(key="rubric.toml").set_value(text.replace("my-doc-qa-0-1", "mine")).run()
    app.button(key="rubric.save").click().run()
    assert "mine" in rubric_versions.names(store)


def test_words_written_in_the_form_are_in_the_toml_view(screen):
    app = screen(rubric="doc-qa-0-1", edit="1")
    app = app.text_area(key=MEANING).set_value("Wrong.").run()
    app = app.segmented_control(key="rubric.view").set_value("Whole rubric (TOML)").run()
    assert 'meaning = "Wrong."' in app.text_area(key="rubric.toml").value


def test_a_discarded_edit_leaves_nothing(screen, store):
    app = screen(rubric="doc-qa-0-1", edit="1")
    app = app.text_area(key=MEANING).set_value("Wrong.").run()
    app = app.button(key="rubric.discard").click().run()
    assert app.header[0].value == presets()["doc-qa-0-1"].title
    assert "my-doc-qa-0-1" not in rubric_versions.names(store)


def test_meanings_can_be_filled_in_and_the_imported_grades_count_on(screen, store, sheet, ana):
    text = (
        'name = "ours"\ntitle = "Ours"\nscale = [1, 2]\n[[criteria]]\nname = "quality"\n'
        'weight = 1\nquestion = "Quality"\n'
    )
    bare = parse(text, "test")
    assert "without meanings" in criterion_html(bare, bare.criteria[0])
    rubric_versions.register(store, bare, "file")
    grades.record(store, [Press(1, bare.versions()["quality"], ana, score=2)])
    app = screen(rubric="ours", edit="ours")
    app.text_area(key="rubric.quality.1").input("Bad.").run()
    assert "is blank" in words(app)
    app.text_area(key="rubric.quality.2").input("Good.").run()
    assert not app.exception
    assert "its 1 grade stays, also under it" in words(app)
    app.button(key="rubric.save").click().run()
    _, full = rubric_versions.named(store, "ours")
    assert [level.meaning for level in full.criteria[0].levels] == ["Bad.", "Good."]
    assert bare.versions()["quality"] in rubric_versions.criteria(store, full)
