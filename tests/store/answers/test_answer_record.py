from concord.language.languages import shown
from concord.store import items
from concord.store.answers import answer_record
from tests.support.panels import give


def test_the_criterion_of_a_grade_has_the_translations_of_its_rubric(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {0: 3})
    first = items.item_index(store, sheet.id)[0]["id"]
    (found,) = answer_record.grades(store, first)
    assert found.criterion == "correctness" and shown(found.criterion, "ja") == "正確さ"
