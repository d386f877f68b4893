"""The command `prices`."""

import json

from concord.judges.definition.prices import load


def test_it_lists_the_prices_that_apply_and_those_of_one_model(store, run, own_prices):
    own_prices.write_text(
        '[[price]]\nmodel = "gpt-4"\ninput = 7\noutput = 8\ndate = 2026-11-25\nsource = "mine"\n'
    )
    (only,) = json.loads(run("prices", "--model", "gpt-4", "--json").stdout)["prices"]
    assert (only["input"], only["cached"], only["source"]) == (7.0, None, "mine")
    assert "gpt-4o-mini" in run("prices").stdout


def test_what_changes_is_shown_and_written_once(store, run, own_prices):
    words = ("prices", "--from", "genai-prices", "--model", "gemini-3.5-flash", "--model", "nope")
    refused = run(*words, code=2).stderr
    assert "— -> 1.5" in refused and "Add --yes" in refused and not own_prices.exists()
    done = json.loads(run(*words, "--yes", "--json").stdout)
    assert (done["written"], done["file"]) == (1, str(own_prices))
    flash, nope = done["changes"]
    assert (flash["old"], flash["new"]["input"], flash["changed"]) == (None, 1.5, True)
    assert (nope["new"], nope["why_none"]) == (None, "not in genai-prices")
    (written,) = load(own_prices)
    assert (written.model, written.input) == ("gemini-3.5-flash", flash["new"]["input"])
    text = own_prices.read_text()
    again = json.loads(run(*words, "--json").stdout)
    assert (again["written"], again["file"], own_prices.read_text()) == (0, None, text)
