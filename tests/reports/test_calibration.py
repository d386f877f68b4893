"""Calibration of one file: the trap that each file holds is what its reader is told first."""

import json
import subprocess
import sys

import pytest

from concord.resources import ROOT
from tests.support.commandline import invoke

# File -> the first caveat's code, and the columns of judges and of annotators.
TRAPS = {
    "constant_judge": ("constant", ["judge"], ["human"]),
    "clustered": ("clustered", ["judge"], ["human"]),
    "no_agreement": ("no_ceiling", ["judge"], ["human_1", "human_2"]),
    "copied_judge": ("annotator_alert", ["judge"], ["human_1", "human_2", "human_3"]),
    "random_annotator": ("annotator_alert", ["judge"], ["human_1", "human_2", "human_3"]),
    "tied_judges": ("best_of", [f"judge_{one}" for one in "abcdef"], ["human"]),
    "reversed_scale": ("reversed", ["judge"], ["human"]),
    "fails_all": ("constant", ["judge"], ["human"]),
}


def calibrated(tmp_path, file, *words, given=None):
    """The result of the command, which stores nothing; and its exit code."""
    done = invoke(tmp_path / "none.db", "calibrate", file, *words, "--json", given=given)
    assert not (tmp_path / "none.db").exists()
    return json.loads(done.stdout), done.exit_code


def sides(judges, humans):
    return [*(f"--judge={one}" for one in judges), *(f"--human={one}" for one in humans)]


@pytest.mark.parametrize("name", TRAPS)
def test_the_first_caveat_names_the_trap(tmp_path, name):
    code, judges, humans = TRAPS[name]
    file = ROOT / "benchmarks" / "traps" / f"{name}.csv"
    found, exit_code = calibrated(tmp_path, file, *sides(judges, humans))
    assert (found["caveats"][0]["code"], exit_code) == (code, 0)
    alone = "independent_rows" in [one["code"] for one in found["caveats"]]
    assert alone == (name != "clustered")
    alerted = [one["annotator"] for one in found["alerts"]]
    assert alerted == (["human_3"] if code == "annotator_alert" else [])


def test_two_levels_have_rates_by_name_and_a_threshold_sets_the_exit_code(tmp_path):
    rows = [("fail", "fail"), ("fail", "pass"), *[("pass", "pass")] * 20, *[("fail", "fail")] * 20]
    text = "expert,verdict\n" + "".join(f"{human},{judge}\n" for human, judge in rows)
    words = sides(["verdict"], ["expert"])
    found, code = calibrated(tmp_path, "-", *words, "--exact=0.8", given=text)
    assert (found["tpr"]["value"], found["tnr"]["value"]) == (21 / 22, 1.0)
    [row] = found["rows"]
    assert row["exact"]["value"] == 41 / 42 and row["clusters"] == 42
    assert (code, found["holds"]) == (0, True)
    assert [one["item"] for one in found["disagreements"]] == ["2"]
    assert calibrated(tmp_path, "-", *words, "--exact=0.99", given=text)[1] == 1


def test_more_questions_narrow_the_interval_to_five_points(tmp_path):
    file = ROOT / "benchmarks" / "traps" / "tied_judges.csv"
    found, _ = calibrated(tmp_path, file, *sides(["judge_b"], ["human"]))
    [row] = found["rows"]
    half = (row["exact"]["high"] - row["exact"]["low"]) / 2
    assert half * (80 / (80 + found["more_questions"])) ** 0.5 == pytest.approx(0.05, abs=0.001)


def test_rows_of_a_document_count_together_and_a_page_is_written(tmp_path):
    file = ROOT / "benchmarks" / "traps" / "clustered.csv"
    words = [*sides(["judge"], ["human"]), "--by=document", f"--html={tmp_path / 'page.html'}"]
    found, _ = calibrated(tmp_path, file, *words)
    [row] = found["rows"]
    assert (row["n"], row["clusters"], len(found["disagreements"])) == (400, 10, 10)
    assert found["caveats"][0]["text"] in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_side_that_is_missing_is_asked_for_by_its_option(tmp_path):
    for have, lacks in (("--judge=a", "--human"), ("--human=a", "--judge")):
        done = invoke(tmp_path / "none.db", "calibrate", "-", have, given="a,b\n1,1\n0,1\n1,0\n")
        assert done.exit_code == 2 and f"{lacks} COLUMN (of b)" in done.stderr


def test_without_a_file_the_sample_is_shown(tmp_path):
    done = invoke(tmp_path / "none.db", "calibrate")
    assert done.stdout.startswith("sample: ") and "clustered" not in done.stdout


def test_a_side_that_is_named_leaves_the_other_to_its_name_and_words_may_differ(tmp_path):
    rows = [("yes", "pass"), ("no", "fail"), ("yes", "fail"), ("no", "pass")] * 5
    text = "ann,llm\n" + "".join(f"{human},{judge}\n" for human, judge in rows)
    found, _ = calibrated(tmp_path, "-", "--human=ann", given=text)
    [row] = found["rows"]
    assert (row["judge"], row["n"], row["exact"]["value"]) == ("llm", 20, 0.5)


def test_annotators_who_saw_other_scores_count_once_their_mark_is_taken_away(tmp_path):
    file = ROOT / "tests" / "importing" / "tools" / "exports" / "inspect.json"
    found, _ = calibrated(tmp_path, file)
    assert "not_blind" in [one["code"] for one in found["caveats"][:2]]
    blind, _ = calibrated(tmp_path, file, "--map=blind=")
    counted = [sum(row["n"] for row in one["rows"]) for one in (found, blind)]
    assert counted == [0, 1] and blind["caveats"][0]["code"] != "not_blind"


def test_nothing_is_imported_that_a_file_of_verdicts_does_not_need():
    heavy = ("streamlit", "plotly", "openai", "aiohttp", "sklearn", "concord.reports.gate")
    script = (
        "import sys\nfrom concord.cli import cli\n"
        "cli(['calibrate', 'benchmarks/traps/tied_judges.csv'], standalone_mode=False)\n"
        f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.strip() == "[]" and "judge a" in done.stdout


@pytest.mark.parametrize(
    ("rows", "exact"),
    [
        ([("pass", "pass"), ("pass", "fail")], 0.5),
        ([("1", ""), ("0", "N/A"), ("1", "1")], 1.0),
        ([("True", "false"), ("FALSE", "False"), ("true", "true")], 2 / 3),
    ],
)
def test_a_name_that_says_whose_it_is_holds_where_values_do_not_look_like_verdicts(
    tmp_path, rows, exact
):
    text = "human,judge\n" + "".join(f"{human},{judge}\n" for human, judge in rows)
    found, _ = calibrated(tmp_path, "-", "--score=N/A=", given=text)
    assert found["rows"][0]["exact"]["value"] == exact


def test_a_column_of_the_names_of_judges_is_no_column_of_verdicts(tmp_path):
    text = "judge,score,human_score\ngpt-4o,1,0\ngpt-4o,1,1\n"
    done = invoke(tmp_path / "none.db", "calibrate", "-", given=text)
    assert done.exit_code == 2 and "--judge COLUMN (of judge, score)" in done.stderr


def test_a_judge_of_zeros_alone_is_on_every_scale_that_begins_with_zero(tmp_path):
    text = "human,judge\n" + "".join(f"{one % 4},0\n" for one in range(20))
    found, _ = calibrated(tmp_path, "-", given=text)
    assert found["rows"][0]["exact"]["value"] == 0.25
    longer = invoke(tmp_path / "none.db", "calibrate", "-", given=text.replace("3,0", "3,1"))
    assert longer.exit_code == 2 and "--score 0-1=0-3" in longer.stderr


def test_a_file_of_bad_rows_alone_is_refused_and_some_are_counted(tmp_path):
    head = "question,answer,human,judge\n"
    done = invoke(tmp_path / "none.db", "calibrate", "-", given=head + ",,1,1\n,,0,1\n")
    assert done.exit_code == 2 and "Traceback" not in done.stderr
    text = head + "a,b,1,1\nc,d,0,0\n,,0,1\ne,f,,1\n"
    assert invoke(tmp_path / "none.db", "calibrate", "-", given=text).exit_code == 2
    some, _ = calibrated(tmp_path, "-", "--partial", given=text)
    assert some["left_out"] == 2 and [one["code"] for one in some["caveats"]] == ["left_out"]


def test_many_answers_to_few_questions_are_clustered(tmp_path):
    rows = [f"Question {one % 4}?,Answer {one}.,{one % 2},{one % 3 % 2}\n" for one in range(40)]
    text = "question,answer,human,judge\n" + "".join(rows)
    found, _ = calibrated(tmp_path, "-", given=text)
    assert [one["code"] for one in found["caveats"]] == ["clustered"]
    assert (found["rows"][0]["n"], found["rows"][0]["clusters"]) == (40, 4)


def test_numbers_of_a_judge_on_another_scale_are_cut_by_its_own(tmp_path):
    rows = [("pass", 5), ("fail", 2), ("pass", 4), ("fail", 4)] * 10
    text = "human,judge\n" + "".join(f"{human},{judge}\n" for human, judge in rows)
    refused = invoke(tmp_path / "none.db", "calibrate", "-", given=text)
    assert refused.exit_code == 2 and "--cut" in refused.stderr
    some = calibrated(tmp_path, "-", "--partial", given=text.replace("4", "1"))[0]
    assert (some["caveats"][0]["code"], some["left_out"]) == ("constant", 20)
    few = calibrated(tmp_path, "-", "--partial", given=text.replace("2", "1"))[0]
    assert (few["caveats"][0]["code"], few["left_out"]) == ("left_out", 30)
    found, _ = calibrated(tmp_path, "-", "--cut=4", given=text)
    assert (found["rows"][0]["n"], found["rows"][0]["exact"]["value"]) == (40, 0.75)
    assert (found["failing"], found["tpr"]["value"], found["tnr"]["value"]) == ("fail", 0.5, 1.0)


def test_any_name_of_a_column_is_cut(tmp_path):
    rows = [("pass", 5), ("fail", 2)] * 10
    text = 'human,"gpt=4: score"\n' + "".join(f"{human},{judge}\n" for human, judge in rows)
    found, _ = calibrated(tmp_path, "-", "--judge=gpt=4: score", "--cut=4", given=text)
    assert (found["rows"][0]["n"], found["rows"][0]["exact"]["value"]) == (20, 1.0)


def test_labels_that_are_all_alike_and_rows_of_one_side_are_said(tmp_path):
    text = "human,judge\n" + "1,1\n1,0\n" * 10 + ",1\n"
    found, _ = calibrated(tmp_path, "-", given=text)
    codes = [one["code"] for one in found["caveats"]]
    assert codes == ["one_label", "left_out", "independent_rows"] and found["left_out"] == 1


def test_equal_rows_of_an_id_are_one(tmp_path):
    text = "id,human,judge\n" + "1,1,1\n2,0,1\n3,0,0\n" * 3
    found, _ = calibrated(tmp_path, "-", given=text)
    assert (found["rows"][0]["n"], found["left_out"]) == (3, 0)


def test_sides_that_graded_other_criteria_are_refused_with_the_word_that_maps_them(tmp_path):
    file = ROOT / "tests" / "importing" / "tools" / "exports" / "promptfoo.json"
    results = json.loads(file.read_text(encoding="utf-8"))
    for result in results["results"]["results"]:
        parts = (result.get("gradingResult") or {}).get("componentResults") or []
        parts[:] = [one for one in parts if (one.get("assertion") or {}).get("type") == "human"]
        parts += [
            {
                "pass": True,
                "score": 1,
                "reason": "Good.",
                "assertion": {"type": "llm-rubric", "metric": "tone", "value": "Kind?"},
            }
        ]
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results), encoding="utf-8")
    refused = invoke(tmp_path / "none.db", "calibrate", path)
    assert refused.exit_code == 2 and "--map criterion:tone=overall" in refused.stderr
    words = ["--map=criterion:tone=overall", "--map=blind="]
    found, _ = calibrated(tmp_path, path, *words)
    assert found["rows"][0]["n"] > 0
    for option in ("--cut=0.5", "--judge=tone", "--human=overall"):
        assert invoke(tmp_path / "none.db", "calibrate", path, *words, option).exit_code == 2


def test_names_without_spaces_say_whose_verdicts_they_are(tmp_path):
    text = "人工标注,大模型评分\n" + "正确,错误\n错误,错误\n正确,正确\n" * 4
    found, _ = calibrated(tmp_path, "-", given=text)
    assert (found["rows"][0]["exact"]["value"], found["failing"]) == (2 / 3, "错误")
