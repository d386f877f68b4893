from concord.language.languages import shown
from concord.reports.panel.rubric_names import called


def test_a_choice_of_rubrics_is_in_the_language_of_the_reader(store, translate):
    translate("zh", {"{title} ({name})": "{title}（{name}）"})
    (found,) = called(store, ["doc-qa-0-3"]).values()
    assert found == "Document Q&A, 0-3 (doc-qa-0-3)"
    assert shown(found, "zh") == "文档问答，0–3 分（doc-qa-0-3）"
