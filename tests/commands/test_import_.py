"""`import` of files of any shape: a dry run stores nothing, and a spec imports the next file."""

import json

import pytest

from concord.store import sheets
from concord.store.database import open_store
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke
from tests.support.exports import FOLDER
from tests.support.files import ROWS

GRADED = "answers.{model}.human_score"
SCORES = f"score:judge:gpt:correctness={GRADED}"


def of(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_dry_run_shows_what_would_be_taken_and_stores_nothing(db, nested_file):
    words = ("import", nested_file, "--map", "answer=answers.{model}.answer_string", "--dry-run")
    document = of(invoke(db, *words, "--json"))
    (seen,) = document["sheets"]
    assert document["dry_run"] is True
    assert (seen["answers"], seen["questions"]) == (16, 8)
    assert seen["answer_models"] == {"alpha": 8, "beta-2.1": 8}
    assert len(seen["first"]) == 10
    assert seen["proposal"]["map"] == []
    text = invoke(db, *words).stdout
    assert "16 answers, 8 questions, 2 answering models. Nothing was imported." in text
    assert of(invoke(db, "sheets", "--json"))["sheets"] == []


def test_a_spec_imports_the_next_file_in_the_same_way(db, nested_file, tmp_path):
    spec, more = tmp_path / "rag.toml", tmp_path / "more.json"
    said = ["answer=answers.{model}.answer_string", "reference=", SCORES]
    words = [word for one in said for word in ("--map", one)]
    how = [*words, "--rubric", "doc-qa-0-3", "--save-spec", spec]
    (first,) = of(invoke(db, "import", nested_file, *how, "--json"))["sheets"]
    more.write_text(json.dumps(ROWS))
    (second,) = of(invoke(db, "import", more, "--spec", spec, "--json"))["sheets"]
    assert (first["items"], first["grades"]) == (second["items"], second["grades"]) == (16, 16)
    assert "reference=" in spec.read_text()
    assert 'rubric = "doc-qa-0-3"' in spec.read_text()


def test_grades_need_no_rubric_and_the_spec_keeps_the_one_that_was_made(db, tmp_path):
    """From a spreadsheet of 1-5 grades and a judge's fractions to agreement, without a rubric."""
    lines = [f"Q{n}?,A{n},{1 + n % 5},{1 + n % 4 + 0.5}" for n in range(30)]
    path, spec = tmp_path / "wide.csv", tmp_path / "wide.toml"
    path.write_text("question,answer,ana,gpt\n" + "\n".join(lines))
    maps = ("score:annotator:Ana:Overall quality=ana", "score:judge:gpt:Overall quality=gpt")
    invoke(db, "import", path, "--map", maps[0], "--map", maps[1], "--save-spec", spec)
    (row,) = of(invoke(db, "agreement", "--json"))["rows"]
    assert (row["criterion"], row["n"], row["exact"]["value"]) == ("overall_quality", 30, None)
    assert row["pearson"]["value"] is not None
    other = tmp_path / "other.csv"
    other.write_text(path.read_text())
    (taken,) = of(invoke(db, "import", other, "--spec", spec, "--json"))["sheets"]
    assert (taken["rubric"], taken["grades"]) == ("wide", 60)


def test_a_spec_keeps_what_words_mean_and_the_numbering(db, tmp_path):
    path, spec, other = tmp_path / "w.csv", tmp_path / "w.toml", tmp_path / "2.db"
    path.write_text("question,answer,a\nQ,one,good\nQ,two,bad\nR,three,good\n")
    how = ("--map", "score:annotator:Ana:tone=a", "--number-answers", "--save-spec", spec)
    assert invoke(db, "import", path, *how).exit_code == 0
    assert invoke(other, "import", path, "--spec", spec).exit_code == 0
    kept = "select c.version, group_concat(i.own_id) from criteria c, items i where c.name = 'tone'"
    with open_store(db) as one, open_store(other) as two:
        assert tuple(one.row(kept)) == tuple(two.row(kept))


def two_scales(tmp_path):
    """Ten answers graded 1-5 for fluency and 0-1 for safety, and how both are mapped."""
    path = tmp_path / "two.csv"
    rows = (f"Q{n}?,A{n},{1 + n % 5},{n % 2}\n" for n in range(10))
    path.write_text("question,answer,flow,safe\n" + "".join(rows))
    words = [f"score:annotator:Ana:{one}" for one in ("fluency=flow", "safety=safe")]
    return path, ("--map", words[0]), ("--map", words[1])


def test_criteria_on_different_scales_come_in_at_once_each_under_a_rubric_of_its_scale(
    db, store, tmp_path
):
    path, flow, safe = two_scales(tmp_path)
    (taken,) = of(invoke(db, "import", path, *flow, *safe, "--json"))["sheets"]
    assert (taken["rubric"], taken["grades"]) == ("two, two-2", 20)
    scales = [rubric_versions.named(store, name)[1].scale for name in ("two", "two-2")]
    assert scales == [(1, 2, 3, 4, 5), (0, 1)]
    (again,) = of(invoke(db, "import", path, *flow, *safe, "--json"))["sheets"]
    assert (again["grades"], again["grades_unchanged"]) == (0, 20)


def test_words_are_scores_of_each_criterions_own_scale_and_become_its_meanings(db, store, tmp_path):
    path = tmp_path / "words.csv"
    words = ("useless", "somewhat useful", "useful")
    rows = (f"Q{n}?,A{n},{words[n % 3]},{('bad', 'good')[n % 2]}\n" for n in range(12))
    path.write_text("question,answer,use,tone\n" + "".join(rows))
    how = [f"--map=score:annotator:Ana:{one}={one}" for one in ("use", "tone")]
    (taken,) = of(invoke(db, "import", path, *how, "--json"))["sheets"]
    assert (taken["rubric"], taken["grades"]) == ("words, words-2", 24)
    made = [rubric_versions.named(store, name)[1].criteria[0] for name in ("words", "words-2")]
    meanings = [[(one.score, one.meaning) for one in criterion.levels] for criterion in made]
    assert meanings == [[*enumerate(words)], [(0, "bad"), (1, "good")]]
    path.write_text("question,answer,use,tone\nQ?,A,good,good\nR?,B,bad,poor\nS?,C,bad,excellent\n")
    refused = invoke(db, "import", path, *how)
    assert (refused.exit_code, '"good=1"' in refused.stderr) == (2, True)


def test_a_rubric_that_an_import_made_is_of_its_sheet_alone(db, tmp_path):
    how = ("--map", "score:annotator:Ana:quality=q")
    for name in ("a", "b"):
        rows = (f"{name}{n}?,A{n},{1 + n % 5}\n" for n in range(20))
        (tmp_path / f"{name}.csv").write_text("question,answer,q\n" + "".join(rows))

    def rubrics(*files):
        taken = of(invoke(db, "import", *files, *how, "--json"))["sheets"]
        return [one["rubric"] for one in taken]

    both = [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert rubrics(both[0]) == ["a"]
    assert rubrics(*both) == ["a", "b"]
    with open_store(db) as store:
        under = [rubric_versions.graded(store, sheets.find(store, name).id) for name in "ab"]
    assert under == [["a"], ["b"]]
    (tmp_path / "c.csv").write_text("question,answer\nc0?,A0\n")
    invoke(db, "import", tmp_path / "c.csv")
    grades = tmp_path / "grades.csv"
    grades.write_text("question,grader,grader_kind,criterion,score\nc0?,Ana,annotator,quality,3\n")
    assert invoke(db, "grades", grades, "--sheet", "c").exit_code == 2
    assert invoke(db, "grades", grades, "--sheet", "c", "--rubric", "a").exit_code == 0


def test_the_scale_of_a_new_rubric_can_be_given(db, tmp_path):
    path, flow, _ = two_scales(tmp_path)
    result = invoke(db, "import", path, *flow, "--scale", "1-7")
    assert result.exit_code == 0
    for words in (("--scale", "5"), ("--scale", "1-7", "--rubric", "two")):
        refused = invoke(db, "import", path, *flow, *words)
        assert refused.exit_code == 2
    refused = invoke(db, "import", path, "--scale", "1-7")
    assert refused.exit_code == 2


def test_a_file_is_imported_as_proposed_with_its_grades(db, tmp_path):
    path = tmp_path / "rag.csv"
    path.write_text("question,answer,human\n" + "".join(f"q{n}?,A{n},{n % 3}\n" for n in range(9)))
    (taken,) = of(invoke(db, "import", path, "--as-proposed", "--json"))["sheets"]
    assert (taken["items"], taken["grades"], taken["rubric"]) == (9, 9, "rag")


def spec_of(tmp_path, name, scale):
    """A spec of `two_scales` that makes a rubric for fluency."""
    lines = [
        'map = ["question=question", "answer=answer", "score:annotator:Ana:fluency=flow"]',
        f'rubric = "{name}"\nscale = "{scale}"',
    ]
    path = tmp_path / f"{name}.toml"
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("name", ["doc-qa-0-3", "two"])
def test_a_spec_takes_no_other_rubric_of_its_name(db, tmp_path, name):
    path, flow, _ = two_scales(tmp_path)
    invoke(db, "import", path, *flow, "--scale", "1-7")
    spec = spec_of(tmp_path, name, "1-5")
    result = invoke(db, "import", path, "--spec", spec, "--sheet", "a", "--json")
    assert of(result)["sheets"][0]["rubric"] == f"{name}-2"


def test_grades_of_an_export_may_be_taken_as_blind_or_left_out(db):
    (taken,) = of(invoke(db, "import", FOLDER / "mlflow.json", "--map", "score=", "--json"))[
        "sheets"
    ]
    assert (taken["items"], taken["grades"]) == (3, 0)
    result = invoke(db, "import", FOLDER / "mlflow.json", "--map", "blind=", "--json")
    assert of(result)["sheets"][0]["grades"] == 15
    figures = of(invoke(db, "agreement", "--json"))
    assert "not blind" not in json.dumps(figures)
