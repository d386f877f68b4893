"""A spec reads back as it was saved, and what is wrong with one is named by key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.importing import answer_file
from concord.importing import spec as specs
from concord.importing.columns import column_map
from concord.importing.default_rubric import under
from concord.importing.readers.formats import open_table
from concord.importing.spec import NewCriterion, NewRubric, Spec
from concord.messages import Problem
from concord.rubrics import fit

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


@given(
    st.lists(TEXT.map(lambda column: f"question={column}"), max_size=3),
    st.dictionaries(TEXT, st.one_of(st.integers(-9, 9), st.just(0.5), st.just("")), max_size=3),
    st.one_of(st.none(), TEXT),
)
def test_a_spec_reads_back_as_it_was_written(words, scores, worksheet):
    made = NewRubric(name="r", scale=(1, 2), criteria=(NewCriterion(name="q0", title="Q0"),))
    spec = Spec(map=tuple(words), scores=scores, worksheet=worksheet, new_rubric=made)
    assert specs.parse(specs.as_toml(spec), "s.toml") == spec


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "map — is missing or blank"),
        ('map = ["=x"]', "map.0 — .*write FIELD=COLUMN"),
        ('map = []\ncolour = "red"', "colour — unknown key"),
        ("map = []\n[scores]\nUseful = [1]", "scores.Useful"),
        ("map = [\n]]", "not valid TOML.*line 2"),
        ('map = []\n[new_rubric]\nname = "r"\nscale = [1]\ncriteria = []', "new_rubric.scale"),
    ],
)
def test_what_is_wrong_with_a_spec_is_named(text, words):
    with pytest.raises(Problem, match=f"s.toml.*{words}"):
        specs.parse(text, "s.toml")


def test_fields_left_out_stay_left_out():
    columns = ("question", "answer", "model", "system")
    said = ["answer_model="]
    spec = specs.of(column_map(columns, said), said)
    assert spec.map == ("question=question", "answer=answer", "answer_model=")
    assert column_map(columns, spec.map) == column_map(columns, said)


def test_words_said_beside_a_spec_replace_its_own():
    spec = Spec(map=("question=a", "answer=b", "cluster:=x"))
    assert spec.with_words(["cluster=c", "question=d"]) == ("answer=b", "cluster=c", "question=d")


def test_a_spec_is_not_written_over_another_file(tmp_path):
    (tmp_path / "data.csv").write_text("x")
    with pytest.raises(Problem, match=r"does not end in \.toml"):
        specs.save(Spec(map=()), tmp_path / "data.csv")
    with pytest.raises(Problem, match="cannot be written"):
        specs.save(Spec(map=()), tmp_path / "no" / "s.toml")


def test_a_word_for_a_word_is_named_in_one_sentence():
    with pytest.raises(Problem, match=r'scores\.good — write a number, or "" for a word'):
        specs.parse('map = ["question=q"]\n[scores]\ngood = "five"\n', "my.toml")


def test_a_column_of_two_graders_is_refused():
    words = ["question=q", "answer=a", "score:annotator:ana:tone=x", "score:annotator:ben:tone=x"]
    with pytest.raises(Problem, match="“x” is mapped to the scores of two graders or criteria"):
        column_map(("q", "a", "x"), words)


BY_HAND = """map = ["question=q", "answer=a", "score:annotator:ana:tone=x"]
[new_rubric]
name = "r"
scale = [1, 2, 3]
criteria = [{name = "tone"}]
"""


@pytest.mark.parametrize(
    ("written", "mistake"),
    [
        ("question=q", "questoin=q"), ("question=q", "question q"), ("question=q", "=q"),
        ("=x", "=y"), ("=x", "=x.y"), ("=x", "={x}"), ("=x", ":=3"), ('"answer=a"', '"answer=a'),
        ("map =", "Map ="), ("annotator:ana", "person of mine:ana"),
        ("score:annotator:ana", "score"), ("ana:tone", "ana:ton"),
        ("[1, 2, 3]", "[1]"), ("[1, 2, 3]", "[3, 1]"), ("[1, 2, 3]", '"1-3"'),
        ('"answer=a"', '"answer=a", "answer=x"'), ('name = "r"', "name = 3"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_spec_made_by_hand_is_refused_in_a_sentence(written, mistake):
    table = open_table(b"q,a,x\nWhy?,So.,1\nHow?,Thus.,3\n", "s.csv")
    assert written in BY_HAND
    with pytest.raises(Problem) as refused:
        spec = specs.parse(BY_HAND.replace(written, mistake, 1), "my.toml")
        columns = column_map(table.columns, spec.map)
        rubric = fit.of_table(spec.new_rubric.model_dump(), "my.toml")
        answer_file.read(table, under(columns, rubric), rubric)
    assert str(refused.value).strip()
    assert "Traceback" not in str(refused.value)
