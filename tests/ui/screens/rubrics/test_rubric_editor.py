"""The rubric screen: reading, editing a copy, new versions, and carrying grades over."""

from streamlit.testing.v1 import AppTest

from concord.grading import grading_sets
from concord.rubrics.model import parse, presets
from concord.rubrics.rubric_toml import as_toml
from concord.store import grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_edits, rubric_freezes, rubric_versions
from concord.ui.screens.rubrics.rubric_card import criterion_html, shown_sentence

PAGE = "pages/rubrics.py"

MEANING = "rubric.correctness.0"
BEHIND = ("stay with the earlier version", "only if the sense is the same")


def effect(app: AppTest) -> list[list[str]]:
    """The rows of the table of what saving does."""
    rows = app.table[-1].value.itertuples(index=False)
    return [[str(cell).replace("\\", "") for cell in row] for row in rows]


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


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


def test_a_copy_with_other_words_makes_a_new_version_and_leaves_the_old_one(
    screen, store, graded_preset
):
    app = screen(rubric="doc-qa-0-3", edit="1")
    app = app.text_area(key=MEANING).set_value("All wrong.").run()
    assert effect(app) == [
        ["correctness", "meaning of 0", "numbers", "1", "0", *BEHIND],
        ["comprehensiveness", "nothing", "—", "0", "0", "it has no grades", "—"],
        ["readability", "nothing", "—", "0", "0", "it has no grades", "—"],
    ]
    assert "the new one: 1 grade (1 by annotators, 0 by judges) on 1 sheet." in words(app)
    app = app.button(key="rubric.save").click().run()
    assert not app.exception
    _, saved = rubric_versions.named(store, "my-doc-qa-0-3")
    assert saved.criteria[0].levels[0].meaning == "All wrong."
    assert rubric_versions.grades_under(store, saved.versions()["correctness"]) == 0
    assert rubric_versions.grades_under(store, graded_preset.versions()["correctness"]) == 1


def test_the_preview_is_in_the_language_in_which_annotators_read_it(screen, store):
    app = screen(rubric="doc-qa-0-3", edit="1", lang="ja")
    assert "回答は質問に正しく答えていますか。" in html(app)
    assert "Does the answer" not in html(app)
    assert app.text_area(key=MEANING).value.startswith("Incorrect")


def test_an_edit_of_wording_only_carries_its_grades_with_the_reason(screen, store, graded_preset):
    app = screen(rubric="doc-qa-0-3", edit="1")
    app = app.text_area(key=MEANING).set_value("Nothing right at all.").run()
    app = app.checkbox(key="rubric.carry.correctness").check().run()
    app = app.button(key="rubric.save").click().run()
    assert "give the reason why only the wording changed" in words(app)
    app = app.text_input(key="rubric.carry.correctness.why").set_value("Shorter, same sense.").run()
    app.button(key="rubric.save").click().run()
    _, saved = rubric_versions.named(store, "my-doc-qa-0-3")
    old, new = (r.versions()["correctness"] for r in (graded_preset, saved))
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
    own = rubric[1].model_copy(update={"name": "ours", "translations": ()})
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


def test_other_weights_keep_every_version(screen, store, graded_preset):
    app = screen(rubric="doc-qa-0-3", edit="1")
    app = app.text_input(key="rubric.correctness.weight").set_value("0.5").run()
    assert "weights must be positive and sum to 1; they sum to 0.9" in words(app)
    assert not [button for button in app.button if button.key == "rubric.save"]
    app = app.text_input(key="rubric.readability.weight").set_value("3/10").run()
    assert effect(app)[0][1::4] == ["weight", "count as before"]
    assert "No criterion gets a new version. All grades count as before (1 grade)." in words(app)
    app.button(key="rubric.save").click().run()
    _, saved = rubric_versions.named(store, "my-doc-qa-0-3")
    assert saved.versions() == graded_preset.versions()


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
    app = app.segmented_control(key="rubric.view").set_value("TOML").run()
    text = app.text_area(key="rubric.toml").value
    app = app.text_area(key="rubric.toml").set_value(text.replace("weight", "wieght", 1)).run()
    assert "unknown key; remove it or correct its spelling" in words(app)
    app = app.text_area(key="rubric.toml").set_value(text.replace("my-doc-qa-0-1", "mine")).run()
    app.button(key="rubric.save").click().run()
    assert "mine" in rubric_versions.names(store)


def test_words_written_in_the_form_are_in_the_toml_view(screen):
    app = screen(rubric="doc-qa-0-1", edit="1")
    app = app.text_area(key=MEANING).set_value("Wrong.").run()
    assert 'meaning = "Wrong."' in app.code[0].value  # beside the form
    app = app.segmented_control(key="rubric.view").set_value("TOML").run()
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
    assert "No grade becomes outdated. All still count (1 grade)." in words(app)
    app.button(key="rubric.save").click().run()
    _, full = rubric_versions.named(store, "ours")
    assert [level.meaning for level in full.criteria[0].levels] == ["Bad.", "Good."]
    assert bare.versions()["quality"] in rubric_versions.criteria(store, full)


def saved(store, name="my-doc-qa-0-3"):
    return rubric_versions.named(store, name)[1]


def test_criteria_are_added_weighted_moved_and_removed_in_the_form(screen, store, graded_preset):
    app = screen(rubric="doc-qa-0-3", edit="1")
    app.button(key="rubric.readability.remove").click().run()
    assert "they sum to 0.8" in words(app)
    app.text_input(key="rubric.new").set_value("Tone of voice").run()
    app.button(key="rubric.add").click().run()
    app.button(key="rubric.equal").click().run()
    app.text_input(key="rubric.tone_of_voice.question").set_value("How does it sound?").run()
    assert "is blank" in words(app)
    for score in range(4):
        app.text_area(key=f"rubric.tone_of_voice.{score}").set_value(f"It is {score}.").run()
    app.button(key="rubric.tone_of_voice.up").click().run()
    assert not app.exception and not app.error
    assert effect(app)[-1][0::5] == ["readability", "it has no grades"]
    assert effect(app)[1][0::5] == ["tone_of_voice", "starts without grades"]
    app.button(key="rubric.save").click().run()
    found = saved(store).criteria
    assert [one.name for one in found] == ["correctness", "tone_of_voice", "comprehensiveness"]
    assert {str(one.weight) for one in found} == {"1/3"}
    assert found[1].title == "Tone of voice"


def test_another_scale_asks_for_the_new_meanings_and_says_grades_do_not_compare(
    screen, store, graded_preset
):
    app = screen(rubric="doc-qa-0-3", edit="1")
    app.text_input(key="rubric.scale").set_value("0, two").run()
    assert "The scores “0, two” are not whole numbers" in words(app)
    app.text_input(key="rubric.scale").set_value("0, 1, 2, 3, 4").run()
    assert "is blank" in words(app)
    for one in graded_preset.criteria:
        app.text_area(key=f"rubric.{one.name}.4").set_value("Better still.").run()
    assert not app.error
    assert effect(app)[0][1:] == [
        "scale, translations",
        "numbers",
        "1",
        "0",
        BEHIND[0],
        "no: scale changed",
    ]
    app.button(key="rubric.save").click().run()
    assert saved(store).scale == (0, 1, 2, 3, 4)
    kept = [level.meaning for level in saved(store).criteria[0].levels]
    assert kept == [*(level.meaning for level in graded_preset.criteria[0].levels), "Better still."]


def test_a_falling_scale_is_named_where_scores_failed(screen, graded_preset):
    app = screen(rubric="doc-qa-0-3", edit="1")
    app.text_input(key="rubric.scale").set_value("3, 2").run()
    assert not app.exception
    assert "rising order" in words(app)


def test_examples_are_added_changed_and_removed_in_the_form(screen, store, graded_preset):
    app = screen(rubric="doc-qa-0-3", edit="1")
    toggle = "rubric.correctness.open"
    assert app.toggle(key=toggle).label == "Examples (4)"
    app.toggle(key=toggle).set_value(True).run()
    place = "rubric.correctness.examples"
    app.button(key=f"{place}.1.remove").click().run()
    app.text_area(key=f"{place}.2.why").set_value("Since one step is missing.").run()
    app.button(key=f"{place}.add").click().run()
    app.text_area(key=f"{place}.4.answer").set_value("Ask the desk.").run()
    app.selectbox(key=f"{place}.4.score").set_value(3).run()
    assert "examples" in effect(app)[0][1]
    app.button(key="rubric.save").click().run()
    assert not app.exception
    levels = saved(store).criteria[0].levels
    assert [len(level.examples) for level in levels] == [1, 0, 1, 2]
    assert levels[2].examples[0].why == "Since one step is missing."
    assert levels[3].examples[1].answer == "Ask the desk."
    assert saved(store).versions() == graded_preset.versions()


def test_a_translation_keeps_every_version_and_annotators_read_it(
    screen, store, sheet, graded_preset
):
    own = graded_preset.model_copy(update={"name": "ours", "title": "Ours", "translations": ()})
    made = grading_sets.create(
        store, sheet.id, rubric_versions.register(store, own, "app"), "Team", None, 1
    )
    app = screen(rubric="ours", edit="1")
    app.selectbox(key="rubric.language").set_value("ko").run()
    app.text_input(key="rubric.in.ko.title").set_value("우리").run()
    app.text_input(key="rubric.in.ko.correctness.title").set_value("정확성").run()
    app.text_area(key="rubric.in.ko.correctness.0").set_value("틀림").run()
    assert "No criterion gets a new version. All grades count as before (1 grade)." in words(app)
    app.button(key="rubric.save").click().run()
    found = saved(store, "ours")
    assert found.versions() == graded_preset.versions()
    assert parse(as_toml(found), "again") == found
    held = rubric_versions.get(store, grading_sets.get(store, made.id).rubric_id)
    read = rubric_versions.as_translated(store, held).in_language("ko")
    assert (read.title, read.criteria[0].heading()) == ("우리", "정확성")
    assert read.criteria[0].levels[0].meaning == "틀림"
    assert read.criteria[0].levels[1] == graded_preset.criteria[0].levels[1]
    app = screen(rubric="ours")
    app.session_state["lang"] = "ko"
    assert app.run().header[0].value == "우리"


def test_structure_and_words_of_the_form_are_in_the_toml_view(screen):
    app = screen(rubric="doc-qa-0-1", edit="1")
    app.selectbox(key="rubric.language").set_value("ja").run()
    app.text_input(key="rubric.in.ja.title").set_value("正しさ").run()
    app.segmented_control(key="rubric.view").set_value("TOML").run()
    assert 'language = "ja"\ntitle = "正しさ"' in app.text_area(key="rubric.toml").value
    app.segmented_control(key="rubric.view").set_value("Form").run()
    app.selectbox(key="rubric.language").set_value("ja").run()
    assert app.text_input(key="rubric.in.ja.title").value == "正しさ"


def test_a_new_wording_names_the_translations_of_the_earlier_one(screen, graded_preset):
    app = screen(rubric="doc-qa-0-3", edit="1")
    assert not app.warning
    app.text_input(key="rubric.correctness.question").set_value("Is it right?").run()
    [warning] = app.warning
    assert "The wording of Correctness changed, but not its translation" in warning.value
    assert "中文, 日本語, 한국어" in warning.value or "日本語, 한국어, 中文" in warning.value
