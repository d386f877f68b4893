from concord.language.languages import shown
from concord.store import items
from concord.store.answers import annotator_scores, answer_record
from tests.support.panels import give


def test_the_criterion_of_a_grade_has_the_translations_of_its_rubric(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {0: 3})
    first = items.item_index(store, sheet.id)[0]["id"]
    (found,) = answer_record.grades(store, first)
    (scored,) = annotator_scores.of_answers(store, [first])
    assert shown(scored.criterion, "ja") == "正確さ"
    assert found.criterion == "correctness" and shown(found.criterion, "ja") == "正確さ"
