"""Every rubric that ships is whole, and a rubric file with a fault is refused by name."""

from fractions import Fraction

import pytest
from pydantic import ValidationError

from concord.definitions import canonical_json, digest
from concord.language.languages import ENGLISH, LANGUAGES
from concord.messages import Problem
from concord.rubrics import edit, fit
from concord.rubrics.edit import Change, changes
from concord.rubrics.model import (
    FOLDER,
    Criterion,
    CriterionTranslation,
    Example,
    Level,
    Rubric,
    Translation,
    from_body,
    load,
    of_units,
    parse,
    presets,
)
from concord.rubrics.rubric_toml import as_toml
from tests.support.rubrics import OLD as rubrics_OLD
from tests.support.rubrics import edited, with_another_meaning

FILES = sorted(FOLDER.glob("*.toml"))
PRESETS = presets()
SMALL = """
name = "small"
title = "Small"
scale = [0, 1]
shown = ["question", "contexts"]

[[criteria]]
name = "correctness"
weight = 0.6
question = "Is it right?"
levels = [{score = 0, meaning = "No."}, {score = 1, meaning = "Yes."}]

[[criteria]]
name = "readability"
weight = 0.4
question = "Does it read well?"
levels = [{score = 0, meaning = "No."}, {score = 1, meaning = "Yes."}]
"""
EXAMPLE = '{score = 1, meaning = "Yes.", examples = [{question = "q", answer = "a", why = "w"}]}'


def small(old: str = "", new: str = "", count: int = 1):
    """The small rubric with one passage replaced."""
    assert old in SMALL
    return parse(SMALL.replace(old, new, count), "small.toml")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_rubric_that_ships_is_complete(path):
    rubric = load(path)
    assert rubric.name == path.stem.replace("_", "-")
    assert rubric.title and rubric.about.strip()
    assert sum(rubric.weights().values()) == 1
    for criterion in rubric.criteria:
        assert criterion.question.strip().endswith(("?", "."))
        assert [level.score for level in criterion.levels] == list(rubric.scale)
        assert all(level.meaning.strip().endswith(".") for level in criterion.levels)


@pytest.mark.parametrize("name", [name for name in PRESETS if name.startswith("doc-qa")])
def test_document_qa_presets_have_the_three_criteria_with_their_weights(name):
    assert PRESETS[name].weights() == {
        "correctness": Fraction(3, 5),
        "comprehensiveness": Fraction(1, 5),
        "readability": Fraction(1, 5),
    }


@pytest.mark.parametrize(
    ("name", "fails"),
    [
        ("doc-qa-0-1", {0}),
        ("doc-qa-0-3", {0, 1}),
        ("doc-qa-decoupled-0-3", {0, 1}),
        ("doc-qa-0-4", {0, 1}),
        ("doc-qa-1-5", {1, 2}),
        ("doc-qa-0-10", {0, 1, 2, 3, 4}),
        ("holistic-1-10", {1, 2, 3, 4, 5}),
        ("holistic-1-10-reference", {1, 2, 3, 4, 5}),
    ],
)
def test_scores_below_the_midpoint_fail(name, fails):
    rubric = PRESETS[name]
    assert {rubric.failing(criterion) for criterion in rubric.criteria} == {frozenset(fails)}


def test_fails_at_moves_the_threshold():
    rubric = small("weight = 0.6", "weight = 0.6\nfails_at = 1")
    assert rubric.failing(rubric.criterion("correctness")) == {0, 1}
    assert rubric.failing(rubric.criterion("readability")) == {0}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('meaning = "Yes."', 'meaning = "Indeed."'),
        ('question = "Is it right?"', 'question = "Is it true?"'),
        ('name = "correctness"', 'name = "truth"'),
        ('["question", "contexts"]', '["question", "reference"]'),
    ],
)
def test_what_a_grader_decides_by_makes_a_new_version(old, new):
    before, after = small(), small(old, new)
    assert before.version(before.criteria[0]) != after.version(after.criteria[0])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ('title = "Small"', 'title = "Little"'),
        ('title = "Small"', 'title = "Small"\nabout = "More about it."'),
        ('name = "small"', 'name = "little"'),
        ("weight = 0.6", 'weight = 0.6\ntitle = "Truth"\nfails_at = 1'),
        ('{score = 1, meaning = "Yes."}', EXAMPLE),
        ('["question", "contexts"]', '["contexts", "question"]'),
        ('meaning = "Yes."', 'meaning = "Yes.  "'),
    ],
)
def test_what_a_grader_does_not_decide_by_keeps_the_versions(old, new):
    assert small(old, new).versions() == small().versions()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("scale = [0, 1]", "scales = [0, 1]", "scales — unknown key"),
        ("weight = 0.6", "weight = 0.6\nwieght = 1", "criteria.0.wieght — unknown key"),
        ("{score = 0", "{colour = 1, score = 0", "criteria.0.levels.0.colour — unknown key"),
        ("weight = 0.6", "weight = 0.5", "sum to 1; they sum to 0.9"),
        ("weight = 0.6", "weight = 0.0", "weights must be positive"),
        ("weight = 0.6", "weight = -0.6", "weights must be positive"),
        ("weight = 0.6", "weight = nan", "weight: give a number"),
        ("weight = 0.6", "weight = true", "weight: give a number"),
        ('{score = 0, meaning = "No."}, ', "", "correctness: give one level for each score"),
        ('{score = 0, meaning = "No."}, ', "", "correctness: give one level"),
        ("{score = 0", "{score = 2", "correctness: give one level for each score"),
        ("[0, 1]", "[1, 0]", "rising order"),
        ("[0, 1]", "[0]", "at least two different scores"),
        ("[0, 1]", "[0, 0.5]", "scale.1"),
        ('name = "readability"', 'name = "correctness"', "two criteria have the same name"),
        ('meaning = "Yes."', 'meaning = " "', "criteria.0.levels.1.meaning — is blank"),
        ('"Is it right?"', '""', "criteria.0.question — is blank"),
        ('["question", "contexts"]', '["question", "question"]', "list each part once"),
        ('["question", "contexts"]', '["answers"]', "shown.0"),
        ('["question", "contexts"]', '["answer"]', "shown: whole answers take contexts, question"),
        ("scale =", 'plural = "claims"\nscale =', "units: name the kind of units"),
        ("scale =", 'units = "claim"\nscale =', "units: give plural, one criterion, and a label"),
        ("weight = 0.6", "weight = 0.6\nfails_at = 7", "fails_at is not a score"),
        ('title = "Small"', 'title = "Small', "not valid TOML"),
        ('title = "Small"', "", "title — is missing or blank"),
        ('title = "Small"', 'title = " "', "title — is missing or blank"),
    ],
)
def test_a_fault_is_named_with_its_file_and_key(old, new, says):
    with pytest.raises(Problem) as problem:
        small(old, new)
    assert "small.toml" in str(problem.value)
    assert says in str(problem.value)


def test_a_rubric_file_that_cannot_be_read_is_a_problem(tmp_path):
    with pytest.raises(Problem):
        load(tmp_path / "none.toml")
    (tmp_path / "utf16.toml").write_bytes(SMALL.encode("utf-16"))
    with pytest.raises(Problem, match="not UTF-8"):
        load(tmp_path / "utf16.toml")


def test_thirds_are_exact():
    rubric = parse(SMALL.replace("0.6", '"1/3"').replace("0.4", '"2/3"'), "x")
    assert rubric.weights() == {"correctness": Fraction(1, 3), "readability": Fraction(2, 3)}
    assert rubric.heaviest().name == "readability"


def test_an_unknown_criterion_lists_those_there_are():
    with pytest.raises(Problem, match="It has: correctness, readability"):
        small().criterion("style")


def test_the_canonical_form_is_pinned_because_every_hash_hangs_on_it():
    value = {"b": [1, 2.5, None, True], "a": "正確さ “é”\n"}
    assert canonical_json(value) == '{"a":"正確さ “é”\\n","b":[1,2.5,null,true]}'
    assert digest(value) == "cd9e3424bbba26dc"
    assert small().version(small().criteria[0]) == "3eaa7105acf73c7a"


def bare(**changes):
    """A rubric of two criteria on 1-5 without meanings."""
    criteria = [
        {"name": name, "weight": "1/2", "question": name.title()} for name in ("quality", "style")
    ]
    return Rubric(name="bare", title="Bare", scale=(1, 2, 3, 4, 5), criteria=criteria, **changes)


def test_a_criterion_may_have_no_meanings_at_all():
    made = bare()
    assert [one.heading() for one in made.criteria if not one.levels] == ["Quality", "Style"]
    assert made.failing(made.criteria[0]) == {1, 2}
    assert from_body(made.body()) == made
    small().check_meanings()
    small().check_meanings()


def test_nobody_is_asked_to_grade_by_scores_without_meanings():
    with pytest.raises(
        Problem, match=r"bare does not describe.*\(Quality, Style\).*Fill in the mean"
    ):
        bare().check_meanings()


def test_units_need_labels():
    with pytest.raises(ValidationError, match="a label of its own"):
        Rubric(
            name="u", title="U", scale=(0, 1), units="claim", plural="claims", shown=("answer",),
            criteria=[{"name": "c", "weight": 1, "question": "C?"}],
        )  # fmt: skip


KO = '[[translations]]\nlanguage = "ko"\n'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (KO + KO, "give each language once"),
        (KO + '[[translations.criteria]]\nname = "wit"\n', "there is no criterion “wit”"),
        (
            KO + '[[translations.criteria]]\nname = "correctness"\nmeanings = ["x"]\n',
            "translations of correctness: give a meaning",
        ),
        ('[[translations]]\nlanguage = "Korean!"\n', "language"),
    ],
)
def test_a_translation_is_of_the_criteria_and_scores_of_its_rubric(text, fault):
    with pytest.raises(Problem, match=fault):
        parse(as_toml(_untranslated(presets()["doc-qa-0-3"])) + text, "test")


@pytest.mark.parametrize(
    "labels", [("모순",), ("a", "b", "c", "d", "e")], ids=["too few", "too many"]
)
def test_labels_are_translated_for_each_level_of_units_alone(labels):
    text = KO + f"[[translations.criteria]]\nlabels = {list(labels)}\nname = "
    for rubric in (of_units()["claims-in-contexts"], PRESETS["doc-qa-0-3"]):
        with pytest.raises(Problem, match="label"):
            parse(as_toml(_untranslated(rubric)) + f'{text}"{rubric.criteria[0].name}"\n', "test")


def _untranslated(rubric):
    return rubric.model_copy(update={"translations": ()})


@pytest.mark.parametrize(
    ("language", "title", "heading"),
    [
        ("en", "Document Q&A, 0-3", "Correctness"),
        ("zh", "文档问答，0–3 分", "正确性"),
        ("fr", "Document Q&A, 0-3", "Correctness"),
    ],
)
def test_a_rubric_is_read_in_the_language_of_the_reader(language, title, heading):
    rubric = from_body(PRESETS["doc-qa-0-3"].body()).in_language(language)
    first = rubric.criteria[0]
    assert (rubric.title, first.name, first.heading()) == (title, "correctness", heading)


def _meanings(criterion) -> int:
    return len({(level.label, level.meaning) for level in criterion.levels})


SHIPPED = {**PRESETS, **of_units()}
OTHERS = [language for language in LANGUAGES if language != ENGLISH]


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("rubric", SHIPPED.values(), ids=SHIPPED)
def test_every_rubric_that_ships_is_translated_whole(rubric, language):
    [one] = [one for one in rubric.translations if one.language == language]
    read = rubric.in_language(language)
    assert one.title.strip() and one.about.strip()
    for criterion, read_one in zip(rubric.criteria, read.criteria, strict=True):
        text = one.of(criterion.name)
        assert text.title.strip() and text.question.strip()
        assert len(text.meanings) == len(criterion.levels) and all(map(str.strip, text.meanings))
        assert len(text.labels) == (len(criterion.levels) if rubric.units else 0)
        # Scores whose original meanings differ are told apart in the translation too.
        assert _meanings(read_one) == _meanings(criterion)
        assert len(text.examples) == sum(len(level.examples) for level in criterion.levels)
        examples = (words for one in text.examples for words in (one.question, one.answer, one.why))
        for text_in in (text.title, text.question, *text.meanings, *text.labels, *examples):
            assert not text_in.isascii()


OLD = presets()["doc-qa-0-3"].model_copy(update={"translations": ()})
TEXT = CriterionTranslation(name="correctness", meanings=("가", "나", "다", "라"))
KOREAN = Translation(language="ko", title="문서", criteria=(TEXT,))


def test_a_scale_keeps_the_texts_of_the_scores_it_keeps_in_every_language():
    changed = edit.with_scale(edit.with_translation(OLD, KOREAN), (1, 2, 3, 4))
    levels = changed.criteria[0].levels
    assert [level.score for level in levels] == [1, 2, 3, 4]
    assert levels[:3] == OLD.criteria[0].levels[1:]
    assert levels[3].meaning == ""
    assert changed.translations[0].of("correctness").meanings == ("나", "다", "라", "")


FIVE = (1, 2, 3, 4, 5)


def test_columns_become_titles_and_valid_names():
    rubric = fit.new_rubric(
        ["Q0", "Overall quality", "정확성", "overall  quality!", "2 Fluency é"], FIVE
    )
    assert [one.name for one in rubric.criteria] == [
        "q0",
        "overall_quality",
        "criterion_3",
        "overall_quality_2",
        "fluency_e",
    ]
    assert [one.heading() for one in rubric.criteria][:3] == ["Q0", "Overall quality", "정확성"]
    assert {one.weight for one in rubric.criteria} == {Fraction(1, 5)}
    assert not any(one.levels for one in rubric.criteria) and rubric.scale == FIVE


def test_a_stored_rubric_with_the_criteria_and_the_scores_is_proposed():
    found = fit.proposed(presets().values(), ["Correctness"], (0, 1, 2, 3), {0, 3})
    assert not found.is_new and found.rubric.scale == (0, 1, 2, 3)
    assert "doc-qa-0-10" in found.others and "doc-qa-1-5" not in found.others


def test_criteria_that_the_file_has_no_grades_on_are_named_with_what_follows():
    rubric = presets()["doc-qa-0-3"]
    titles = [one.heading() for one in rubric.criteria]
    found = fit.proposed([rubric], titles[:1], rubric.scale, {0, 3})
    assert (found.is_new, found.rubric) == (False, rubric)
    assert f"no grades on {', '.join(titles[1:])}, so the composite stays undefined" in found.reason
    fit.proposed([rubric], titles, rubric.scale, {0, 3})


def test_another_scale_makes_a_new_rubric():
    found = fit.proposed(presets().values(), ["Correctness"], (-1, 0, 1), {-1, 1}, "My sheet")
    assert found.is_new and found.rubric.name == "my-sheet"
    taken = fit.new_rubric(["a"], FIVE, "My sheet", {"my-sheet"})
    assert taken.name == "my-sheet-2"


def rubric_with(text: str, weight: Fraction = Fraction(1)) -> Rubric:
    """A rubric of two scores that holds `text` in every free place."""
    example = Example(question=text, answer=text, why=text, context=text)
    levels = (
        Level(score=0, meaning=f"x{text}", examples=(example,)),
        Level(score=1, meaning=f"{text}x"),
    )
    criteria = [Criterion(name="a", weight=weight, question=f"{text}?", levels=levels, title=text)]
    if weight != 1:
        rest = Criterion(name="b", weight=1 - weight, question="?", levels=levels, fails_at=0)
        criteria.append(rest)
    title = text if text.strip() else "x"  # it cannot be blank
    return Rubric(name="r", title=title, about=text, scale=(0, 1), criteria=tuple(criteria))


@pytest.mark.parametrize(
    "rubric", [*presets().values(), *of_units().values()], ids=lambda one: one.name
)
def test_every_preset_is_read_back_as_it_was(rubric):
    assert parse(as_toml(rubric), "again") == rubric


@pytest.mark.parametrize(
    "text",
    [
        'say "no"',
        '"""',
        "a\\b\\n",
        "two\nlines",
        "\nfirst line empty",
        'ends in a quote\nlike this"',
        "ends in a slash\nlike \\",
        "dos\r\nlines",
        "tab\tand bell\x07",
        "正しい・맞음",
        "",
    ],
)
def test_any_text_survives(text):
    rubric = rubric_with(text)
    assert parse(as_toml(rubric), "again") == rubric


@pytest.mark.parametrize(
    ("weight", "written"),
    [(Fraction(3, 5), "0.6"), (Fraction(1, 3), '"1/3"'), (Fraction(1, 8), "0.125")],
)
def test_a_weight_stays_exact(weight, written):
    rubric = rubric_with("x", weight)
    assert f"weight = {written}\n" in as_toml(rubric)
    assert parse(as_toml(rubric), "again").weights() == rubric.weights()


@pytest.mark.parametrize(
    ("of_first", "what"),
    [
        ({"weight": Fraction(1, 2)}, "weight"),
        ({"title": "Right?"}, "title"),
        ({"fails_at": 2}, "which scores fail"),
        (
            {
                "levels": tuple(
                    x.model_copy(update={"examples": ()}) for x in rubrics_OLD.criteria[0].levels
                )
            },
            "examples",
        ),
    ],
)
def test_weights_titles_examples_and_the_threshold_keep_the_version(of_first, what):
    assert changes(rubrics_OLD, edited(**of_first))[0] == Change("correctness", "same", (what,))


def test_a_changed_meaning_is_a_new_version_that_may_carry_its_grades():
    assert changes(rubrics_OLD, with_another_meaning())[0] == Change(
        "correctness", "new version", ("meaning of 2",), True
    )


def test_a_criterion_title_that_says_its_name_again_is_no_change():
    assert changes(rubrics_OLD, edited(title="Correctness"))[0].what == ()


def test_criteria_come_and_go():
    new = rubrics_OLD.model_copy(
        update={"criteria": (rubrics_OLD.criteria[1], presets()["holistic-1-10"].criteria[0])}
    )
    assert [(c.criterion, c.kind) for c in changes(rubrics_OLD, new)] == [
        ("comprehensiveness", "same"),
        ("overall", "added"),
        ("correctness", "removed"),
        ("readability", "removed"),
    ]
