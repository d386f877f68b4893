from concord.rubrics import draft
from concord.rubrics.model import CriterionTranslation, Translation, parse, presets
from concord.rubrics.rubric_toml import as_toml

OLD = presets()["doc-qa-0-3"].model_copy(update={"translations": ()})
TEXT = CriterionTranslation(name="correctness", meanings=("가", "나", "다", "라"))
KOREAN = Translation(language="ko", title="문서", criteria=(TEXT,))


def test_a_scale_keeps_the_texts_of_the_scores_it_keeps_in_every_language():
    changed = draft.with_scale(draft.with_translation(OLD, KOREAN), (1, 2, 3, 4))
    levels = changed.criteria[0].levels
    assert [level.score for level in levels] == [1, 2, 3, 4]
    assert levels[:3] == OLD.criteria[0].levels[1:]
    assert levels[3].meaning == ""
    assert changed.translations[0].of("correctness").meanings == ("나", "다", "라", "")


def test_a_scale_without_the_failing_score_no_longer_has_it():
    first = OLD.criteria[0].model_copy(update={"fails_at": 0})
    old = OLD.model_copy(update={"criteria": (first, *OLD.criteria[1:])})
    assert draft.with_scale(old, (1, 2)).criteria[0].fails_at is None
    assert draft.with_scale(old, (0, 1)).criteria[0].fails_at == 0


def test_a_new_criterion_gets_a_free_name_from_its_title():
    twice = draft.with_criterion(draft.with_criterion(OLD, "Overall quality"), "Overall quality")
    assert [one.name for one in twice.criteria[3:]] == ["overall_quality", "overall_quality_2"]
    assert twice.criteria[3].weight == 0


def test_a_criterion_leaves_with_its_translations():
    gone = draft.without_criterion(draft.with_translation(OLD, KOREAN), "correctness")
    assert [one.name for one in gone.criteria] == ["comprehensiveness", "readability"]
    assert gone.translations[0].criteria == ()


def test_a_criterion_alone_keeps_its_translations():
    translated = presets()["doc-qa-0-3"]
    own = translated.criterion("readability").model_copy(update={"weight": 1})
    alone = draft.with_criterion_alone(translated, own)
    assert [one.name for one in alone.criteria] == ["readability"]
    assert parse(as_toml(alone), "alone") == alone
    assert alone.in_language("ko").criteria[0].heading() == "가독성"


def test_a_translation_of_an_earlier_wording_is_outdated():
    there = draft.with_translation(OLD, KOREAN)
    first = OLD.criteria[0].model_copy(update={"question": "Is it right?"})
    titled = OLD.criteria[0].model_copy(update={"title": "Truth"})
    reworded, retitled = (
        there.model_copy(update={"criteria": (one, *OLD.criteria[1:])}) for one in (first, titled)
    )
    assert draft.outdated(there, reworded) == {"correctness": ("ko",)}
    assert draft.outdated(there, retitled) == draft.outdated(there, there) == {}
    new = KOREAN.model_copy(
        update={"criteria": (TEXT.model_copy(update={"question": "맞습니까?"}),)}
    )
    assert draft.outdated(there, draft.with_translation(reworded, new)) == {}
    assert draft.outdated(there, draft.with_translation(reworded, Translation(language="ko"))) == {}


def test_criteria_move_up_one_place():
    names = [one.name for one in draft.moved_up(OLD, "readability").criteria]
    assert names == ["correctness", "readability", "comprehensiveness"]
    assert draft.moved_up(OLD, "correctness") == OLD


def test_a_blank_translation_is_none():
    there = draft.with_translation(OLD, KOREAN)
    assert there.translations == (KOREAN,)
    assert draft.with_translation(there, Translation(language="ko")) == OLD


def test_equal_weights_sum_to_one_and_a_translated_rubric_is_read_back():
    changed = draft.with_equal_weights(draft.with_translation(OLD, KOREAN))
    assert parse(as_toml(changed), "again") == changed
