"""The verb `choose`: its contract, its exit codes, and terms fixed without a look."""

import json

import pytest

KEYS = {
    *("criterion", "figure", "margin", "minimum", "against", "winner", "verdict", "more_labels"),
    *("sentence", "looks", "judges"),
}
OF_A_JUDGE = {"judge", "verdict", "difference", "cost_per_1000", "seconds"}
CAREFUL = ("choose", "--against", "simulated-careful-judge")


def test_the_document_has_every_key_of_the_contract(sampled):
    found = json.loads(sampled(*CAREFUL, "--minimum", "0.5", "--json").stdout)
    assert set(found) > KEYS
    assert all(set(row) > OF_A_JUDGE for row in found["judges"])
    assert (found["criterion"], found["figure"], found["margin"]) == ("correctness", "exact", 0.1)
    assert (found["verdict"], found["winner"], found["looks"]) == ("cannot_tell", None, 1)
    assert set(found["left_out"]) == {"baseline"}


def test_the_text_begins_with_the_verdict_and_has_a_column_per_judge(sampled):
    said = sampled(*CAREFUL, "--criterion", "readability").stdout
    assert said.startswith("Cannot tell if simulated-decision-judge is good enough on readability")
    assert "simulated-lenient-judge" in said
    heads = [row.split() for row in said.splitlines() if row.startswith("judge  ")]
    assert [
        *("judge", "simulated-careful-judge", "simulated-lenient-judge"),
        "simulated-decision-judge",
    ] in heads
    assert "reference judge: inconclusive" in said and "Prices are simulated." in said
    assert "Compared on 192 answers to 64 questions" in said


def test_fixing_looks_at_nothing_and_a_look_later_keeps_when_it_was_fixed(sampled):
    fixed = json.loads(sampled(*CAREFUL, "--fix", "--json").stdout)["decision"]
    assert "judges" not in fixed and fixed["fixed_after_sight"]
    assert fixed["figure"] == "exact" and "failure_recall" in fixed
    found = json.loads(sampled(*CAREFUL, "--json").stdout)
    assert found["fixed_at"] == fixed["created_at"] and found["decision"]["id"] == fixed["id"]


def test_a_condition_written_in_two_ways_is_one_decision(sampled):
    ways = ("0.1", ".10", "10%", " 10 %")
    made = [
        json.loads(sampled(*CAREFUL, "--margin", one, "--fix", "--json").stdout) for one in ways
    ]
    sampled(*CAREFUL, "--margin", "7%", "--minimum", "55%", "--failure-recall", "30%", "--fix")
    terms = ("--margin", "0.07", "--minimum", "0.55", "--failure-recall", "0.3")
    other = json.loads(sampled(*CAREFUL, *terms, "--fix", "--json").stdout)
    assert [one["decision"]["id"] for one in made] == [1, 1, 1, 1]
    assert other["decision"]["id"] == 2
    assert "is not a valid float" in sampled(*CAREFUL, "--margin", "ten%", code=2).stderr


def test_without_a_reference_judge_those_that_could_be_one_are_named(sampled):
    told = sampled("choose", code=2).stderr
    assert "Name it with --against JUDGE" in told and "Usage" not in told
    assert "simulated-careful-judge, simulated-lenient-judge" in told
    assert "baseline" not in told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--against", "nobody"), "There is no judge “nobody”"),
        (("--against", "baseline"), "floor"),
        (("--against", "simulated-careful-judge", "--margin", "0"), "margin of 0"),
        (("--against", "simulated-careful-judge", "--criterion", "composite"), "--criterion"),
    ],
)
def test_what_cannot_be_chosen_says_what_to_change(sampled, words, said):
    assert said in sampled("choose", *words, code=2).stderr


@pytest.mark.parametrize(("answer", "fixed"), [("n\n", 0), ("y\n", 1)])
def test_at_a_terminal_new_terms_are_shown_and_confirmed(sampled, monkeypatch, answer, fixed):
    for module in ("frame", "choose"):
        monkeypatch.setattr(f"concord.commands.{module}.at_a_terminal", lambda: True)
    found = sampled(*CAREFUL, "--fix", given=answer)
    assert "These terms become final" in found.stderr
    assert "simulated-careful-judge" in found.stderr and "10 points" in found.stderr
    assert ("Nothing was fixed." in found.stdout) is not bool(fixed)
    assert "separate judges" not in found.stderr
    wide = sampled(*CAREFUL, "--fix", "--figure", "within_one", "--margin", "0.5", given="n\n")
    assert "cannot separate judges on this sheet" in wide.stderr
    if fixed:  # the same terms are fixed already, and nothing is asked
        assert "become final" not in sampled(*CAREFUL, "--fix", given="").stderr


def test_the_cheaper_of_two_imported_judges_is_chosen_at_its_stated_price(run, tmp_path):
    file = tmp_path / "round.csv"
    lines = [
        f"q{n},What about {n}?,It is {n}.,{n % 4},{n % 4},{(n + (n % 20 == 0)) % 4},{n % 4}"
        for n in range(120)
    ]
    heads = "qid,question,answer,ana,ben,dear,cheap"
    file.write_text("\n".join([heads, *lines]), encoding="utf-8")
    kinds = {"ana": "annotator", "ben": "annotator", "dear": "judge", "cheap": "judge"}
    mapped = [f"score:{kind}:{name}:correctness={name}" for name, kind in kinds.items()]
    options = [word for one in ("question_id=qid", *mapped) for word in ("--map", one)]
    run("import", str(file), *options, "--rubric", "doc-qa-0-3")
    run("graders", "--price", "dear=12.5", "--price", "cheap=0.9")
    found = json.loads(
        run("choose", "--against", "dear", "--rubric", "doc-qa-0-3", "--json").stdout
    )
    assert (found["winner"], found["verdict"]) == ("cheap", "good_enough")
    assert {row["judge"]: row["cost_per_1000"] for row in found["judges"]} == {
        "dear": 12.5,
        "cheap": 0.9,
    }
    assert "$0.90 (stated)" in run("choose", "--against", "dear").stdout


def test_kappa_is_refused_on_a_sheet_without_the_answers_it_takes(run, tmp_path):
    file = tmp_path / "small.csv"
    lines = [f"q{n},What about {n}?,It is {n}.,{n % 4},{n % 4},{n % 4}" for n in range(40)]
    heads = "qid,question,answer,ana,dear,cheap"
    file.write_text("\n".join([heads, *lines]), encoding="utf-8")
    kinds = {"ana": "annotator", "dear": "judge", "cheap": "judge"}
    mapped = [f"score:{kind}:{name}:correctness={name}" for name, kind in kinds.items()]
    options = [word for one in ("question_id=qid", *mapped) for word in ("--map", one)]
    run("import", str(file), *options, "--rubric", "doc-qa-0-3")
    asked = ("choose", "--against", "dear", "--figure", "qwk", "--margin", "0.15")
    refused = run(*asked, code=2).stderr
    assert "requires 60 answers, and this sheet has 40" in refused
    assert json.loads(run("choose", "--against", "dear", "--json").stdout)["figure"] == "exact"
