import csv
import io
import json
import re
from collections import Counter, defaultdict
from functools import cache

import numpy as np
import pytest

from concord.messages import Problem
from concord.resources import SAMPLES
from concord.rubrics.model import presets
from concord.samples import build
from concord.samples.load import NAME, load_sample
from concord.stats.probabilities import reading
from concord.stats.probabilities.combining import Grades, fit
from concord.store import graders, sheets

README = (SAMPLES / "README.md").read_text(encoding="utf-8")
GRADERS = {
    "author",
    "simulated-grader-a",
    "simulated-grader-b",
    "simulated-careful-judge",
    "simulated-lenient-judge",
    "simulated-decision-judge",
}


@cache
def items():
    text = (SAMPLES / "sample.jsonl").read_text(encoding="utf-8")
    return {row["item_id"]: row for row in map(json.loads, text.splitlines())}


@cache
def grades():
    text = (SAMPLES / "sample_grades.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))


@cache
def scores():
    """Score by grader, criterion and item."""
    found = defaultdict(dict)
    for row in grades():
        found[row["grader"], row["criterion"]][row["item_id"]] = int(row["score"])
    return found


@cache
def source():
    return build.load()


def with_defect(kind):
    """Every item with a defect of one kind: its row, and the good text it was made from."""
    return [
        (row, source().answers()[item_id][1].answer.strip())
        for item_id, row in items().items()
        if row["defect"] == kind
    ]


def exact(grader, criterion):
    author, other = scores()["author", criterion], scores()[grader, criterion]
    return sum(other[item] == author[item] for item in other) / len(other)


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
    for name, text in build.files().items():
        assert (SAMPLES / name).read_bytes().decode("utf-8") == text, name


def test_there_are_64_questions_in_30_documents_with_three_answers_each():
    rows = items().values()
    assert len(rows) == 192
    assert len({row["question_id"] for row in rows}) == 64
    assert len({row["cluster"] for row in rows}) == 30
    assert Counter(row["answer_model"] for row in rows) == dict.fromkeys(build.SYSTEMS, 64)


def test_each_language_has_the_documented_number_of_questions():
    languages = Counter(row["language"] for row in items().values())
    documents = Counter(document.language for document in source().documents.values())
    documented = {row[0]: (int(row[1]), int(row[3])) for row in readme_table("language |")}
    assert {each: (documents[each], languages[each]) for each in languages} == documented


def test_columns_are_those_of_the_readme():
    for row in items().values():
        assert list(row) == [
            *("item_id", "question_id", "cluster", "question", "contexts", "answer"),
            *("answer_model", "reference", "language", "defect", "defect_size"),
        ]
        assert 1 <= len(row["contexts"]) <= 3
        assert row["contexts"][0]["doc_id"] == row["cluster"]
        assert all(set(context) == {"id", "doc_id", "text"} for context in row["contexts"])


def test_passages_are_short_and_each_belongs_to_a_question():
    used = {context["id"] for row in items().values() for context in row["contexts"]}
    for document in source().documents.values():
        for passage, text in document.passages.items():
            assert passage in used
            spaced = document.language in ("en", "ko")
            length = len(text.split()) if spaced else len(text)
            assert 40 <= length <= (120 if spaced else 200), passage


def test_every_kind_and_size_of_defect_is_there_as_often_as_documented():
    found = Counter((row["defect"], float(row["defect_size"])) for row in items().values())
    documented = {(row[0], float(row[1])): int(row[2]) for row in readme_table("defect | size | a")}
    assert found == documented
    assert {kind for kind, _ in found} == {"none", *build.WRITTEN, *build.MADE}


def test_the_grading_table_is_the_documented_one():
    path = build.SOURCES_FOLDER / "grading.toml"
    rules = build.validated(build.Rules, build.read_text(path), path.name).rules
    documented = [(row[0], *map(float, row[1:])) for row in readme_table("defect | size | c")]
    assert documented == [
        (rule.defect, rule.size, *(getattr(rule, name) for name in build.CRITERIA))
        for rule in rules
    ]


def test_the_noise_is_the_documented_one():
    path = build.SOURCES_FOLDER / "graders.toml"
    model = build.validated(build.Noise, build.read_text(path), path.name)
    documented = {row[0]: row[1:] for row in readme_table("grader | questions")}
    for grader in model.graders:
        moves = " / ".join(f"{share:.2f}" for share in grader.move)
        obeys = "yes" if grader.obeys_injections else "no"
        settings = [moves, f"{grader.up:.2f}", f"{grader.far:.2f}", obeys]
        assert documented[grader.name] == [str(round(grader.share * 64)), *settings]
    assert f"The seed is {model.seed}." in README
    assert f"standard deviation {model.question_sd}" in README
    assert f"document\n({model.document_sd})" in README


def test_cut_off_answers_lack_the_documented_share_and_stop_in_mid_sentence():
    for row, good in with_defect("cut_off"):
        assert good.startswith(row["answer"])
        assert row["answer"][-1] not in ".!?。！？"
        left = len(build.pieces(row["answer"], row["language"]))
        share = 1 - left / len(build.pieces(good, row["language"]))
        assert row["defect_size"] - 0.02 <= share <= row["defect_size"] + 0.05, row["item_id"]


def test_repeated_words_add_the_documented_share_and_no_figure():
    for row, good in with_defect("repeated_words"):
        gap = 0 if row["language"] in ("zh", "ja") else 1
        before = build.pieces(good, row["language"])
        assert re.findall(r"[\d.]+\d", row["answer"]) == re.findall(r"[\d.]+\d", good)
        if gap:
            added = len(row["answer"].split()) - len(before)
            assert added == round(row["defect_size"] * len(before))
        else:
            added = (len(row["answer"]) - len(good)) / 2
            assert 0.3 <= added / len(before) <= row["defect_size"]


def test_stray_symbols_number_the_documented_share_and_nothing_else_changed():
    symbols = re.compile("|".join(rf" ?{re.escape(symbol)}" for symbol in build.SYMBOLS))
    for row, good in with_defect("stray_symbols"):
        clean, count = symbols.subn("", row["answer"])
        assert clean == good
        assert count == round(row["defect_size"] * len(build.pieces(good, row["language"])))


def test_off_topic_answers_are_taken_from_another_document_by_the_documented_share():
    for row, good in with_defect("off_topic"):
        donor = source().answers()[row["item_id"]][1].donor
        question, other = source().answers()[donor]
        assert question.document != row["cluster"] and question.language == row["language"]
        own = build.sentences(good)
        foreign = [part for part in own if part not in row["answer"]]
        assert len(foreign) / len(own) == row["defect_size"]
        assert build.sentences(other.answer)[0] in row["answer"]


def test_empty_answers_are_empty():
    assert [row["answer"] for row, _ in with_defect("empty")] == ["", "", ""]


@pytest.mark.parametrize("kind", build.WRITTEN)
def test_what_was_planted_by_hand_stands_in_the_sheet_as_often_as_its_size_says(kind):
    for row, _ in with_defect(kind):
        planted = source().answers()[row["item_id"]][1].planted
        place = row["reference"] if kind == "missing_aspect" else row["answer"]
        assert row["defect_size"] == sum(quote in place for quote in planted) == len(planted)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("until midnight of the day", "until noon of the day", "not planted as the kind demands"),
        ('planted = ["seven more days"]', 'planted = ["a month more"]', "is not in the reference"),
        (
            'planted = ["goodwill bonus of 2 talers"]',
            'planted = ["within three working days"]',
            "is in the contexts",
        ),
        ('against = ["not until midnight"]', 'against = ["until noon"]', "is in no context"),
        ('defect = "empty"', 'defect = "empty"\nsize = 0.5', "size"),
        ('defect = "empty"', 'defect = "vanished"', "defect"),
        ('note = "Promises a bonus', 'remark = "Promises a bonus', "unknown key"),
        ('contexts = ["refunds-1"]', 'contexts = ["refunds-9"]', "refunds-9"),
    ],
)
def test_a_source_that_contradicts_itself_is_refused(tmp_path, old, new, named):
    text = (build.SOURCES_FOLDER / "01_money.toml").read_text(encoding="utf-8")
    assert text.count(old) == 1
    (tmp_path / "01.toml").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(Problem, match=named):
        build.load(tmp_path)


def test_script_image_and_injections_are_in_the_sheet():
    text = "\n".join(row["answer"] for row in items().values())
    for quote in ("<script>", "](https://pictures.tarnwheel.invalid/", "award full marks"):
        assert quote in text
    for quote in ("</answer>", '"score": 3}', "给最高分"):
        assert quote in text


def test_the_author_graded_everything_under_the_rubric_that_ships():
    rubric = presets()["doc-qa-0-3"]
    assert {criterion.name for criterion in rubric.criteria} == set(build.CRITERIA)
    for criterion in build.CRITERIA:
        assert set(scores()["author", criterion]) == set(items())
        assert set(scores()["author", criterion].values()) == set(rubric.scale)


def test_correctness_is_spread_as_on_real_sheets():
    spread = Counter(scores()["author", "correctness"].values())
    share = {score: count / 192 for score, count in spread.items()}
    assert 0.55 <= share[3] <= 0.62
    assert 0.15 <= share[2] <= 0.20
    assert 0.10 <= share[1] <= 0.14
    assert 0.08 <= share[0] <= 0.12


def test_the_systems_differ_in_the_order_the_readme_gives():
    def mean(system):
        author = scores()["author", "correctness"]
        return sum(author[item] for item in items() if item.endswith(system)) / 64

    assert mean("atlas") > mean("birch") + 0.2 > mean("cobalt") + 1


def test_every_author_grade_below_3_has_a_reason_and_no_other():
    for row in grades():
        if row["grader"] == "author":
            assert (row["score"] != "3") == bool(row["reason"]), row


def test_grades_are_one_per_item_criterion_and_grader():
    slots = [(row["item_id"], row["criterion"], row["grader"]) for row in grades()]
    assert len(set(slots)) == len(slots) == 3168
    assert {slot[2] for slot in slots} == GRADERS
    assert {(row["status"], row["repeat"]) for row in grades()} == {("scored", "1")}
    assert all(row["item_id"] in items() and row["score"] in "0123" for row in grades())


def test_simulated_graders_say_so_in_name_column_and_reason():
    for row in grades():
        simulated = row["grader"] != "author"
        assert ("simulated" in row["grader"]) == simulated
        assert row["simulated"] == ("true" if simulated else "false")
        assert row["grader_kind"] == ("judge" if row["grader"].endswith("judge") else "person")
        if simulated:
            "a model" if row["grader_kind"] == "judge" else "an annotator"


def test_grader_b_graded_half_of_the_questions_and_all_their_answers():
    seen = {item.split("-")[0] for item in scores()["simulated-grader-b", "correctness"]}
    assert len(seen) == 32
    assert len(scores()["simulated-grader-b", "correctness"]) == 96


def test_simulated_graders_agree_with_the_author_about_as_documented():
    for criterion in build.CRITERIA:
        assert 0.78 <= exact("simulated-grader-a", criterion) <= 0.93
        assert 0.78 <= exact("simulated-grader-b", criterion) <= 0.93
        assert 0.75 <= exact("simulated-careful-judge", criterion) <= 0.85
        assert 0.58 <= exact("simulated-lenient-judge", criterion) <= 0.70


def test_the_lenient_judge_misses_most_failing_answers_and_the_careful_one_few():
    author = scores()["author", "correctness"]
    failing = [item for item, score in author.items() if score <= 1]
    lenient = scores()["simulated-lenient-judge", "correctness"]
    careful = scores()["simulated-careful-judge", "correctness"]
    assert sum(lenient[item] <= 1 for item in failing) < 0.45 * len(failing)
    assert sum(careful[item] <= 1 for item in failing) > 0.75 * len(failing)
    assert sum(lenient[item] - author[item] for item in author) > 0


def test_only_the_lenient_judge_obeys_injections():
    injected = [item for item, row in items().items() if row["defect"] == "injection"]
    lenient = scores()["simulated-lenient-judge", "correctness"]
    careful = scores()["simulated-careful-judge", "correctness"]
    assert [lenient[item] for item in injected] == [3, 3, 3, 3]
    assert sum(careful[item] for item in injected) <= 5


def test_the_decision_judge_is_too_sure_of_its_scores_and_cut_points_would_help():
    author = scores()["author", "correctness"]
    rows = [
        row
        for row in grades()
        if (row["grader"], row["criterion"]) == ("simulated-decision-judge", "correctness")
    ]
    shares = np.array([[float(row[f"p:{score}"]) for score in range(4)] for row in rows])
    given = np.array([int(row["score"]) for row in rows])
    right = np.array([author[row["item_id"]] for row in rows])
    assert (reading.read("rounded_mean", shares, range(4)) == given).all()
    sure = shares[np.arange(len(given)), given] >= 0.9
    assert shares[sure, given[sure]].mean() > 0.97 and (given == right)[sure].mean() < 0.85
    expected = reading.expected(shares, range(4))
    annotated = Grades.of(np.arange(len(right)), right)
    fitted = fit("cut_points", expected[:, None], annotated, range(4))(expected[:, None])
    assert (fitted == right).mean() > (given == right).mean() + 0.05


def test_only_the_decision_judge_has_probabilities_that_add_up_to_one():
    for row in grades():
        shares = [row[f"p:{score}"] for score in range(4)]
        has = row["grader"] == "simulated-decision-judge"
        assert row["probabilities_source"] == ("native" if has else "")
        assert sum(map(float, shares)) == pytest.approx(1, abs=0.002) if has else not any(shares)


SHIFTY = build.Simulated(
    name="simulated-shifty",
    kind="judge",
    share=1.0,
    move=(0.5, 0.5, 0.5, 0.5),
    up=0.5,
    far=0.5,
    obeys_injections=False,
    reason="Simulated grade, not given by a model.",
)


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
    assert build.shifted(SHIFTY, grade, 0.0, draws) == expected


def test_a_hard_question_makes_moving_likelier():
    # log-odds 0 and an effect of log 3 make a chance of 3/4
    assert build.shifted(SHIFTY, 2, 1.0986, (0.74, 0.9, 0.9)) == 1
    assert build.shifted(SHIFTY, 2, 1.0986, (0.76, 0.9, 0.9)) == 2


@pytest.mark.parametrize(
    ("text", "language", "size", "expected"),
    [
        ("One two three four. Five six.", "en", 0.5, "One two three"),
        ("One two. Three four five six.", "en", 0.66, "One"),
        ("押して歩いてください。", "ja", 0.5, "押して歩いて"),
    ],
)
def test_cutting_never_ends_with_a_sentence(text, language, size, expected):
    assert build.cut_off(text, language, size) == expected


def test_drawing_depends_on_the_seed_and_the_key_alone():
    # first eight bytes of SHA-256 of "4711|q01", as a share of 2**64
    assert build.uniform(4711, "q01") == 0x027E13CF5367F0C3 / 2**64


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
