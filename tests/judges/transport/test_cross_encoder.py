"""A real cross-encoder, tiny and random, from a folder: counted, cut and scored as it does itself.

Skipped where its optional packages are not installed; what needs no model is tested in
test_vera_composite.py.
"""

import subprocess
import sys

import pytest

from concord.judges.transport import cross_encoder
from concord.messages import Problem
from concord.metrics.framework.statement import DoesNotFit, enriched
from concord.reports.metrics import metric_records
from concord.reports.metrics.vera_composite import PLAIN, encode
from concord.store import additions
from tests.support.made_items import made_item
from tests.support.measured_sets import give
from tests.support.source import ROOT


def test_it_counts_and_cuts_as_its_own_tokenizer_does(encoder):
    assert (encoder.limit, encoder.special) == (512, 3)
    assert encoder.count("Tea is unaffable.") == 6  # tea, is, un, ##aff, ##able, .
    assert encoder.cut("Tea is unaffable.", 4) == "Tea is unaff"
    assert encoder.count(encoder.cut("Tea is unaffable.", 4)) == 4
    assert encoder.cut("Tea", 0) == "" and encoder.cut("Tea", 9) == "Tea"


def test_a_long_answer_is_cut_to_the_very_last_piece_and_no_statement_is(encoder):
    statements = ["The score of faithfulness is 0.7.", "The score of precision is 0.2."]
    made = enriched(encoder, "Where is tea grown?", "unaffable tea " * 400, statements)
    taken = encoder.count("Where is tea grown?") + encoder.count(made.text) + encoder.special
    assert made.cut and taken == encoder.limit
    assert made.text.endswith(" ".join(statements))
    whole = encoder._tokenizer("Where is tea grown?", made.text)["input_ids"]
    assert len(whole) == encoder.limit  # what the model is given, with its own marks


def test_statements_that_do_not_fit_are_not_cut(encoder):
    with pytest.raises(DoesNotFit):
        enriched(encoder, "Where?", "In Assam.", ["tea " * 600])


def test_a_pair_that_would_be_cut_in_silence_is_refused(encoder):
    with pytest.raises(ValueError, match="longer than the cross-encoder takes"):
        encoder.score([("Where?", "tea " * 600)])


def test_the_score_is_the_raw_logit(encoder):
    import torch

    inside = encoder._tokenizer("Where is tea grown?", "In Assam.", return_tensors="pt")
    with torch.no_grad():
        logit = encoder._model[0].auto_model(**inside).logits.item()
    assert encoder.score([("Where is tea grown?", "In Assam.")]) == pytest.approx([logit])


def test_the_same_folder_is_the_same_model_and_other_weights_are_another(encoder_folder, encoder):
    assert cross_encoder.load(encoder_folder).identity == encoder.identity


def test_its_vocabulary_is_not_made_for_cjk(encoder):
    assert not encoder.knows_cjk


def test_answers_are_scored_from_the_store_and_once_only(store, encoder):
    made = [
        made_item(1, answer="Tea is grown in Assam."),
        made_item(2, answer="tea " * 600),
        made_item(3, answer="茶はアッサムで育つ。"),
    ]
    sheet = additions.add(store, "tea", made, "t.csv", "1" * 64, {})
    give(store, sheet.id, "vera_faithfulness", [1, 0, 1])
    done = encode(store, sheet, encoder)
    assert (done.scored, done.there, done.too_long) == (3, 0, 0)
    assert encode(store, sheet, encoder).there == 3
    records = [r for r in metric_records.read(store, sheet).records if r.metric == "vera_composite"]
    assert [len(record.flags) for record in records] == [0, 2, 1]
    assert all(record.parts[PLAIN] != record.value for record in records)


def test_a_folder_without_a_model_is_one_sentence(tmp_path, encoder_folder):
    with pytest.raises(Problem):
        cross_encoder.load(str(tmp_path))


def test_a_folder_that_is_not_there_is_not_looked_for_on_the_network(tmp_path):
    with pytest.raises(Problem):
        cross_encoder.load(str(tmp_path / "none"))


def test_without_its_packages_it_says_what_to_install(tmp_path):
    script = (
        "import sys; sys.modules['sentence_transformers'] = None\n"
        "from concord.judges.transport.cross_encoder import load\n"
        "from concord.messages import Problem\n"
        f"try: load({str(tmp_path)!r})\nexcept Problem as problem: print(problem)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "pip install -e '.[cross-encoder]'" in done.stdout
