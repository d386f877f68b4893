import json
from collections import Counter
from functools import cache

import pytest

from benchmarks import sample
from concord.resources import SAMPLES
from concord.samples.load import NAME, load_sample
from concord.store import graders, sheets

README = (SAMPLES / "README.md").read_text(encoding="utf-8")


@cache
def items():
    text = (SAMPLES / "sample.jsonl").read_text(encoding="utf-8")
    return {row["item_id"]: row for row in map(json.loads, text.splitlines())}


def readme_table(first):
    """The rows of the README's table whose first heading cells are `first`."""
    lines = README[README.index(f"| {first}") :].splitlines()[2:]
    table = []
    for line in lines:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table


def test_building_again_gives_exactly_the_shipped_files():
    for name, text in sample.files().items():
        assert (SAMPLES / name).read_bytes().decode("utf-8") == text, name


def test_there_are_64_questions_in_30_documents_with_three_answers_each():
    rows = items().values()
    assert len(rows) == 192
    assert len({row["question_id"] for row in rows}) == 64
    assert len({row["cluster"] for row in rows}) == 30
    assert Counter(row["answer_model"] for row in rows) == dict.fromkeys(sample.SYSTEMS, 64)


def test_each_language_has_the_documented_number_of_questions():
    languages = Counter(row["language"] for row in items().values())
    world = sample.source("[0-9]*.toml")
    documents = Counter(document["language"] for document in world["documents"])
    documented = {row[0]: (int(row[1]), int(row[3])) for row in readme_table("language |")}
    assert {each: (documents[each], languages[each]) for each in languages} == documented


def test_every_kind_and_size_of_defect_is_there_as_often_as_documented():
    found = Counter((row["defect"], float(row["defect_size"])) for row in items().values())
    documented = {(row[0], float(row[1])): int(row[2]) for row in readme_table("defect | size | a")}
    assert found == documented


def test_the_grading_table_is_the_documented_one():
    documented = [(row[0], *map(float, row[1:])) for row in readme_table("defect | size | c")]
    keys = ("defect", "size", *sample.CRITERIA)
    rules = sample.source("grading.toml")["rules"]
    assert documented == [tuple(map(rule.get, keys)) for rule in rules]


def test_the_noise_is_the_documented_one():
    noise = sample.source("graders.toml")
    documented = {row[0]: row[1:] for row in readme_table("grader | questions")}
    for grader in noise["graders"]:
        moves = " / ".join(f"{share:.2f}" for share in grader["move"])
        obeys = "yes" if grader["obeys_injections"] else "no"
        settings = [moves, f"{grader['up']:.2f}", f"{grader['far']:.2f}", obeys]
        assert documented[grader["name"]] == [str(round(grader["share"] * 64)), *settings]
    assert f"The seed is {noise['seed']}." in README
    assert f"standard deviation {noise['question_sd']}" in README
    assert f"document\n({noise['document_sd']})" in README


def test_script_image_and_injections_are_in_the_sheet():
    text = "\n".join(row["answer"] for row in items().values())
    for quote in ("<script>", "](https://pictures.tarnwheel.invalid/", "award full marks"):
        assert quote in text
    for quote in ("</answer>", '"score": 3}', "给最高分"):
        assert quote in text


SHIFTY = {"move": (0.5, 0.5, 0.5, 0.5), "up": 0.5, "far": 0.5}


@pytest.mark.parametrize(
    ("grade", "draws", "expected"),
    [
        (2, (0.6, 0.0, 0.0), 2),  # does not move
        (2, (0.4, 0.4, 0.6), 3),  # up by one
        (2, (0.4, 0.4, 0.4), 3),  # far, but there is room for one only
        (2, (0.4, 0.6, 0.4), 0),  # down by two
        (1, (0.4, 0.6, 0.4), 0),
        (0, (0.4, 0.9, 0.6), 1),  # from 0 only up
        (3, (0.4, 0.1, 0.4), 1),  # from 3 only down
    ],
)
def test_a_grade_moves_as_the_draws_say(grade, draws, expected):
    assert sample.shifted(SHIFTY, grade, 0.0, draws) == expected


def test_the_sample_comes_in_as_one_sheet_with_its_graders(store):
    assert load_sample(store)
    assert sheets.find(store, NAME).items == 192
    simulated = {
        g.name: g.simulated for kind in ("person", "judge") for g in graders.of_kind(store, kind)
    }
    assert not simulated.pop("author")
    assert len(simulated) == 5
    assert all(simulated.values())
    assert all("simulated" in name for name in simulated)


def test_the_sample_is_loaded_once(store):
    assert load_sample(store)
    assert not load_sample(store)
    assert len(sheets.all_sheets(store)) == 1


def test_a_sample_that_was_removed_comes_back_only_on_request(store):
    load_sample(store)
    sheets.delete(store, sheets.find(store, NAME))
    assert not load_sample(store)
    assert sheets.find(store, NAME) is None
    assert load_sample(store, again=True)
