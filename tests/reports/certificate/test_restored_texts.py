"""The texts of a certificate as screens translate them."""

from dataclasses import replace

import pytest

from concord.definitions import digest
from concord.language.languages import shown
from concord.messages import for_screen, said
from concord.reports.certificate import certification
from concord.reports.certificate.certificate import of_sheet, read
from concord.reports.certificate.document import title
from concord.reports.certificate.restored_texts import restored
from concord.reports.panel.named_judge import judge_of
from tests.support.panels import panel


def not_good_enough(store, rubric):
    found = panel(store, rubric)
    return certification.certify(
        store, found, judge_of(store, found, "cheap"), criteria=["readability"]
    )


NAMES = [("zh", "正确性"), ("ja", "正確さ"), ("ko", "정확성")]


@pytest.mark.parametrize(("language", "name"), NAMES)
def test_its_criteria_and_its_finding_are_in_the_language_of_the_reader(
    store, written, language, name
):
    (kept,) = of_sheet(store, 1)
    made = restored(store, kept)
    assert name in shown(title(made), language) and name in shown(made.sentence, language)
    assert "correctness" not in shown(made.sentence, language)


def test_why_nothing_is_certified_is_said_in_the_language_of_the_reader(store, half_good):
    made = restored(store, not_good_enough(store, half_good))
    assert made.why_not == "readability: it is not good enough"
    why = said("Nothing is certified: {why}.", why=made.why_not)
    assert shown(why, "zh") == "不予认证。可读性：不够好。"


def test_a_screen_names_the_place_where_a_judge_is_chosen_not_the_command(store, close_judges):
    found = panel(store, close_judges)
    made = restored(store, certification.certify(store, found, judge_of(store, found, "cheap")))
    assert made.why_not.endswith("choose a judge under Decide first (`choose` on the command line)")
    assert for_screen(made.why_not).endswith("choose a judge under Decide first")


def test_what_is_stored_stays_to_the_letter(store, half_good):
    kept = not_good_enough(store, half_good)
    made = restored(store, kept)
    assert made == kept and made.to_json() == kept.to_json() and made.unchanged


def test_a_text_that_the_figures_do_not_give_stays_as_it_was_written(store, half_good):
    document = {**not_good_enough(store, half_good).document, "why_not": "of an earlier version"}
    document["digest"] = digest({k: v for k, v in document.items() if k not in ("id", "digest")})
    made = restored(store, read(document))
    assert shown(made.why_not, "zh") == "of an earlier version"


def test_a_certificate_whose_rubric_is_not_here_stays_as_it_was_written(store, written):
    (kept,) = of_sheet(store, 1)
    elsewhere = replace(kept, rubric=replace(kept.rubric, name="elsewhere"))
    assert restored(store, elsewhere) == elsewhere
