"""Every rubric that ships is whole, and a rubric file with a fault is refused by name."""

from fractions import Fraction

import pytest
from pydantic import ValidationError

from concord.definitions import canonical_json, digest
from concord.judges.definition import model as judges
from concord.judges.prompting.request import fingerprint
from concord.language.languages import ENGLISH, LANGUAGES, shown
from concord.messages import Problem
from concord.rubrics.model import FOLDER, Rubric, from_body, load, of_units, parse, presets
from concord.rubrics.rubric_toml import as_toml

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


def test_presets_are_found_by_name():
    assert set(PRESETS) == {
        "doc-qa-0-1",
        "doc-qa-0-3",
        "doc-qa-0-4",
        "doc-qa-0-10",
        "doc-qa-1-5",
        "doc-qa-decoupled-0-3",
        "holistic-1-10",
        "holistic-1-10-reference",
    }


@pytest.mark.parametrize("name", [name for name in PRESETS if name.startswith("doc-qa")])
def test_document_qa_presets_have_the_three_criteria_with_their_weights(name):
    assert PRESETS[name].weights() == {
        "correctness": Fraction(3, 5),
        "comprehensiveness": Fraction(1, 5),
        "readability": Fraction(1, 5),
    }


@pytest.mark.parametrize("name", ["doc-qa-0-1", "doc-qa-0-3", "doc-qa-decoupled-0-3"])
def test_every_score_has_an_example(name):
    for criterion in PRESETS[name].criteria:
        for level in criterion.levels:
            assert level.examples
            assert all(e.question and e.context and e.answer and e.why for e in level.examples)


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "doc-qa-0-10"])
def test_no_two_scores_of_a_criterion_mean_the_same(name):
    for criterion in PRESETS[name].criteria:
        meanings = {level.meaning for level in criterion.levels}
        assert len(meanings) == len(criterion.levels)


def test_the_eleven_scores_fall_into_six_bands():
    bands = (0,), (1, 2), (3, 4), (5, 6), (7, 8), (9, 10)
    for criterion in PRESETS["doc-qa-0-10"].criteria:
        meaning = {level.score: level.meaning for level in criterion.levels}
        assert len(set(meaning.values())) == len(bands)
        assert all(len({meaning[score] for score in band}) == 1 for band in bands)


def test_two_presets_differ_only_in_their_numbers():
    for low, high in zip(
        PRESETS["doc-qa-0-4"].criteria, PRESETS["doc-qa-1-5"].criteria, strict=True
    ):
        assert [level.meaning for level in low.levels] == [level.meaning for level in high.levels]


def test_readability_kept_apart_says_nothing_of_right_or_wrong():
    criterion = PRESETS["doc-qa-decoupled-0-3"].criterion("readability")
    texts = [criterion.question, *(level.meaning for level in criterion.levels)]
    assert not [t for t in texts for word in ("wrong", "correct", "true", "astray") if word in t]


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


def test_another_scale_makes_a_new_version():
    before = small()
    after = parse(
        SMALL.replace("[0, 1]", "[1, 2]").replace("e = 1", "e = 2").replace("e = 0", "e = 1"), "x"
    )
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


def test_other_weights_keep_the_versions():
    text = SMALL.replace("0.6", "0.5").replace("0.4", "0.5")
    assert parse(text, "x").versions() == small().versions()


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
        ('{score = 0, meaning = "No."}, ', "", "missing: 0"),
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


def test_a_byte_order_mark_is_no_fault(tmp_path):
    (tmp_path / "small.toml").write_bytes(SMALL.encode("utf-8-sig"))
    assert load(tmp_path / "small.toml") == small()


def test_two_presets_of_one_name_are_refused(tmp_path, monkeypatch):
    for name in ("a.toml", "b.toml"):
        (tmp_path / name).write_text(SMALL)
    monkeypatch.setattr("concord.rubrics.model.FOLDER", tmp_path)
    with pytest.raises(Problem, match=r"b\.toml: the name small is already used"):
        presets()


def test_thirds_are_exact():
    rubric = parse(SMALL.replace("0.6", '"1/3"').replace("0.4", '"2/3"'), "x")
    assert rubric.weights() == {"correctness": Fraction(1, 3), "readability": Fraction(2, 3)}
    assert rubric.heaviest().name == "readability"


@pytest.mark.parametrize("rubric", PRESETS.values(), ids=PRESETS)
def test_a_stored_body_reads_back_as_the_same_rubric(rubric):
    assert from_body(rubric.body()) == rubric
    assert from_body(rubric.body()).versions() == rubric.versions()


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
    assert made.without_meanings() == ("Quality", "Style")
    assert made.failing(made.criteria[0]) == {1, 2}
    assert from_body(made.body()) == made
    assert small().without_meanings() == ()
    small().check_meanings()


def test_nobody_is_asked_to_grade_by_scores_without_meanings():
    with pytest.raises(
        Problem, match=r"bare does not describe.*\(Quality, Style\).*Fill in the mean"
    ):
        bare().check_meanings()


def test_units_need_labels():
    with pytest.raises(ValidationError, match="a label for each level"):
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
            "translations of correctness: give one meaning for each score",
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
        with pytest.raises(Problem, match="give one label for each level"):
            parse(as_toml(_untranslated(rubric)) + f'{text}"{rubric.criteria[0].name}"\n', "test")


def _untranslated(rubric):
    return rubric.model_copy(update={"translations": ()})


@pytest.mark.parametrize(
    ("language", "title", "name", "heading"),
    [
        ("en", "Document Q&A, 0-3", "correctness", "Correctness"),
        ("zh", "文档问答，0–3 分", "正确性", "正确性"),
        ("fr", "Document Q&A, 0-3", "correctness", "Correctness"),
    ],
)
def test_a_rubric_names_its_criteria_in_the_language_of_the_reader(language, title, name, heading):
    rubric = from_body(PRESETS["doc-qa-0-3"].body())
    first = rubric.criteria[0]
    assert shown(rubric.title, language) == title
    assert shown(first.name, language) == name
    assert shown(first.heading(), language) == heading
    assert shown(rubric.named("correctness"), language) == name
    assert rubric.named("composite") == "composite"


def test_the_labels_of_units_are_in_the_language_of_the_reader():
    levels = of_units()["chunks-for-answer"].criteria[0].levels
    assert [level.label for level in levels] == ["not useful", "useful"]
    assert [shown(level.label, "ja") for level in levels] == ["役に立たない", "役に立つ"]


def test_a_rubric_without_translations_has_plain_names():
    rubric = from_body(_untranslated(PRESETS["doc-qa-0-3"]).body())
    assert {type(one) for one in (rubric.title, *rubric.versions())} == {str}


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
        for text_in in (text.title, text.question, *text.meanings, *text.labels):
            assert not text_in.isascii()


@pytest.mark.parametrize("rubric", SHIPPED.values(), ids=SHIPPED)
def test_its_translations_change_no_version_and_no_judge(rubric):
    before = _untranslated(rubric)
    assert rubric.translations and rubric.versions() == before.versions()
    if not rubric.units:
        for judge in judges.presets().values():
            fits = len(rubric.criteria) == 1 or judge.kind != "holistic"
            if judge.kind in ("rubric", "holistic") and fits and not judge.example_plan():
                assert fingerprint(judge, rubric) == fingerprint(judge, before)


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != ENGLISH])
def test_a_fault_with_values_is_shown_in_the_readers_language(language):
    with pytest.raises(Problem) as rubric:
        small("weight = 0.6", "weight = 0.9")
    assert "sum to 1.3" in str(rubric.value)
    assert "sum to" not in shown(rubric.value.args[0], language)
    text = 'name = "j"\nmodel = "m"\nrubric = "doc-qa-0-3"\n[extra_body]\nmodel = "other"'
    with pytest.raises(Problem) as judge:
        judges.parse(text, "j.toml")
    assert "own keys" not in shown(judge.value.args[0], language)


def test_a_stored_rubric_without_a_title_stays_readable():
    blank = small().model_copy(update={"title": ""})
    assert from_body(blank.body()).title == ""
