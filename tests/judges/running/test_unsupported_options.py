"""What a judge cannot follow is said before anything is asked, and the page says the same."""

from dataclasses import replace

import pytest

from concord.judges.definition import model
from concord.judges.running import unsupported_options
from concord.judges.running.job import Options
from concord.messages import Problem
from tests.support.endpoint import Endpoint
from tests.support.source import ROOT

PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
EMBEDS = (
    'name = "e"\nkind = "metric"\nmetrics = ["semantic_similarity"]\n'
    '[embedding]\nmodel = "v"\nbase_url = "http://localhost:1/v1"\n'
)
COMBINED = (
    'name = "c"\nkind = "combined"\nrubric = "doc-qa-0-3"\nmembers = ["a", "b"]\nrule = "mean"\n'
)
PRESETS = model.presets()
JUDGES = {
    "rubric": PRESETS["local"],
    "metrics": PRESETS["rag-metrics"],
    "embeds": model.parse(EMBEDS, "e.toml"),
    "computed": PRESETS["computed"],
    "combined": model.parse(COMBINED, "c.toml"),
    "baseline": PRESETS["baseline"],
}
GIVEN = {
    "--metrics": {"metrics": ("bleu",)},
    "--rubric": {"rubric": "doc-qa-0-3"},
    "--batch": {"batch": True},
    "--cancel-batch": {"cancel_batch": True},
    "--model": {"model": "m"},
    "--base-url": {"base_url": "http://localhost:1/v1"},
    "--repeat": {"repeats": 2},
    "--limit": {"limit": 3},
    "--retry-unscored": {"retry_unscored": True},
    "--scheduler": {"scheduler": "2"},
    "--budget": {"budget": 1.0},
    "--concurrency": {"concurrency": 2},
    "--estimate": {"only_estimate": True},
    "--yes": {"yes": True},
}


def refuses(sort, option):
    try:
        unsupported_options.check(JUDGES[sort], replace(Options(), **GIVEN[option]))
    except Problem as problem:
        said = str(problem)
        assert said.startswith(JUDGES[sort].name) and said.endswith(f"Leave {option} out.")
        return True
    return False


@pytest.mark.parametrize("sort", JUDGES)
def test_every_option_is_followed_or_refused_as_the_table_says(sort):
    assert unsupported_options.sort(JUDGES[sort]) == sort
    assert {option for option in GIVEN if refuses(sort, option)} == {
        option for option, why in unsupported_options.WHY.items() if sort in why
    }


def test_the_page_has_a_row_for_every_option_with_who_follows_it():
    table = PAGE[PAGE.index("| option of `judge` |") :].split("\n\n", 1)[0]
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
    ]
    sorts = ["rubric", "metrics", "embeds", "computed", "combined", "baseline"]
    assert len(head) == len(sorts) + 1
    told = {name: cells for names, *cells in rows for name in names.replace("`", "").split(", ")}
    assert told.keys() == GIVEN.keys()
    for option, cells in told.items():
        expected = ["no" if refuses(sort, option) else "yes" for sort in sorts]
        assert cells == expected, option


def test_a_refusal_comes_before_the_first_of_several_judges_is_asked(run, tmp_path):
    run("demo")
    with Endpoint() as server:
        path = tmp_path / "mine.toml"
        path.write_text(
            'name = "mine"\nmodel = "m"\nrubric = "doc-qa-0-3"\nprice = 0\n'
            f'[endpoint]\nbase_url = "{server.url}"\n',
            encoding="utf-8",
        )
        run("judge", path, "computed", "--limit", 1, "--repeat", 2, code=2)
        assert not server.seen


@pytest.mark.parametrize("judge", ["rag-metrics", "computed", "baseline"])
def test_a_cluster_is_for_judges_by_a_rubric(run, judge):
    run("demo")
    assert "--scheduler" in run("judge", judge, "--scheduler", "2", "--yes", code=2).output
