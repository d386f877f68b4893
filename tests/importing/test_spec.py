"""A spec reads back as it was saved, and what is wrong with one is named by key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.importing import spec as specs
from concord.importing.columns import column_map
from concord.importing.readers.formats import open_table
from concord.importing.spec import Spec
from concord.messages import Problem

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


@given(
    st.lists(TEXT.map(lambda column: f"question={column}"), max_size=3),
    st.dictionaries(TEXT, st.one_of(st.integers(-9, 9), st.just(0.5), st.just("")), max_size=3),
    st.one_of(st.none(), TEXT),
)
def test_a_spec_reads_back_as_it_was_written(words, scores, worksheet):
    how = {"worksheet": worksheet, "number_answers": True, "rubric": "r", "scale": "1-2"}
    spec = Spec(map=tuple(words), scores=scores, **how)
    assert specs.parse(specs.as_toml(spec), "s.toml") == spec


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "map — is missing or blank"),
        ('map = []\ncolour = "red"', "colour — unknown key"),
        ("map = []\n[scores]\nUseful = [1]", "scores.Useful"),
        ('map = []\n[scores]\ngood = "five"', "scores.good"),
        ("map = [\n]]", "not valid TOML.*line 2"),
    ],
)
def test_what_is_wrong_with_a_spec_is_named(text, words):
    with pytest.raises(Problem, match=words):
        specs.parse(text, "s.toml")


def test_fields_left_out_stay_left_out():
    columns = ("question", "answer", "model", "system")
    said, table = ["answer_model="], open_table(",".join(columns).encode() + b"\na,b,c,d", "s.csv")
    spec = specs.of(table, column_map(columns, said))
    assert spec.map == ("question=question", "answer=answer", "answer_model=")
    assert column_map(columns, spec.map) == column_map(columns, said)


def test_words_said_beside_a_spec_replace_its_own():
    spec, more = ("question=a", "answer=b", "cluster:=x"), ["cluster=c", "question=d"]
    assert specs.replaced_words(spec, more) == ("answer=b", "cluster=c", "question=d")


def test_a_spec_is_not_written_over_another_file(tmp_path):
    (tmp_path / "data.csv").write_text("x")
    with pytest.raises(Problem, match=r"data.csv"):
        specs.save(Spec(map=()), tmp_path / "data.csv")
    with pytest.raises(Problem, match=r"s.toml"):
        specs.save(Spec(map=()), tmp_path / "no" / "s.toml")
