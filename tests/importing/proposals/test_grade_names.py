"""The names of grade columns say who graded and by which criterion."""

import pytest

from concord.importing.columns import column_map
from concord.importing.proposals import grades_by_value
from concord.importing.proposals.column_profile import profile
from concord.importing.proposals.grade_scales import grade_scales
from concord.importing.readers.formats import open_table


def proposed(columns):
    """`grader:criterion` of each column, in order, and the columns in doubt; '' for no grader."""
    profiles = [
        profile(name, [str((n + at) % 5) for n in range(20)]) for at, name in enumerate(columns)
    ]
    found, doubts = grades_by_value.by_name(profiles)
    by_column = {one.column: f"{one.grader}:{one.criterion}" for one in found}
    return " ".join(by_column.get(name, "-") for name in columns), [d.columns for d in doubts]


@pytest.mark.parametrize(
    ("columns", "read"),
    [
        ("ana_correctness,ana_tone,ben_correctness,ben_tone",
         "ana:correctness ana:tone ben:correctness ben:tone"),
        ("correctness (Ana),correctness (Ben),tone (Ana),tone (Ben)",
         "Ana:correctness Ben:correctness Ana:tone Ben:tone"),
        ("Ana: correctness,Ben: correctness,Ana: tone,Ben: tone",
         "Ana:correctness Ben:correctness Ana:tone Ben:tone"),
        ("Q0 - rater 1,Q0 - rater 2,Q1 - rater 1,Q1 - rater 2",
         "rater_1:q0 rater_2:q0 rater_1:q1 rater_2:q1"),
        ("rater1_Q0,rater2_Q0", "rater1:q0 rater2:q0"),
        ("ana_q1,ana_q2,ben_q1,ben_q2", "ana:q1 ana:q2 ben:q1 ben:q2"),
        ("human_1,human_2,gpt4_score,judge_correctness",
         "human_1:overall human_2:overall gpt4:overall judge:correctness"),
        ("annotator_A_score,annotator_B_score", "annotator_a:overall annotator_b:overall"),
        ("human_tone,gpt-4o tone,gpt-4o-mini tone", "human:tone gpt-4o:tone gpt-4o-mini:tone"),
        ("ana.correctness,ben.correctness,ana.tone,ben.tone",
         "ana:correctness ben:correctness ana:tone ben:tone"),
        ("x.ana.correctness,x.ben.correctness,x.ana.tone,x.ben.tone",
         "ana:correctness ben:correctness ana:tone ben:tone"),
        ("Rater 1 (Petra),Rater 2 (Tom),LLM judge",
         "rater_1_petra:overall rater_2_tom:overall llm_judge:overall"),
        ("Rater 1 Petra,Rater 2 Tom", "rater_1_petra:overall rater_2_tom:overall"),
        ("Human,GPT-4 (zero-shot),GPT-4 (few-shot)",
         "human:overall gpt_4_zero_shot:overall gpt_4_few_shot:overall"),
        ("OK? (Priya),OK? (Tom),Helpful 1-5 (Priya),Helpful 1-5 (Tom),OK? (GPT-4)",
         "Priya:ok Tom:ok Priya:helpful Tom:helpful gpt-4:ok"),
        ("正しい（田中）,正しい（佐藤）,親切 1〜5（田中）,親切 1〜5（佐藤）",
         "田中:正しい 佐藤:正しい 田中:親切 佐藤:親切"),
        ("correctness (Ana),correctness (gpt judge)", "Ana:correctness gpt_judge:correctness"),
        ("OK? (Priya),OK? (Tom),Helpful (Priya)", "Priya:ok Tom:ok Priya:helpful"),
        ("Note Korrektheit?,Note Stil?", ":korrektheit :stil"),
        ("Overall quality,gpt-4o overall", ":overall_quality gpt-4o:overall"),
        ("Overall quality,gpt-4o overall quality,gpt-4o overall",
         ":overall_quality gpt-4o:overall_quality gpt-4o:overall"),
        ("正确性_小王,正确性_小李,流畅性_小王,流畅性_小李",
         "小王:正确性 小李:正确性 小王:流畅性 小李:流畅性"),
        ("正確性（田中）,正確性（鈴木）,流暢さ（田中）,流暢さ（鈴木）",
         "田中:正確性 鈴木:正確性 田中:流暢さ 鈴木:流暢さ"),
        ("評価者1_正確性,評価者2_正確性", "評価者1:正確性 評価者2:正確性"),
        ("ana_准确,ana_流畅,ben_流畅,ben_准确", "ana:准确 ana:流畅 ben:流畅 ben:准确"),
        ("人工评分,大模型评分", "人工:overall 大模型:overall"),
        ("정확성_지민,정확성_서준,유창성_지민,유창성_서준",
         "지민:정확성 서준:정확성 지민:유창성 서준:유창성"),
    ],
)  # fmt: skip
def test_what_crosses_criteria_names_the_graders(columns, read):
    assert proposed(columns.split(",")) == (read, [])


@pytest.mark.parametrize(
    ("columns", "read"),
    [
        ("Overall quality_ana,Overall quality_ben", "ana:overall_quality ben:overall_quality"),
        ("小王-正确性,小李-正确性", "小王:正确性 小李:正确性"),
        ("Ana: correctness,Ben: correctness", "Ana:correctness Ben:correctness"),
        ("OK? (Priya),OK? (Tom)", "Priya:ok Tom:ok"),
        ("OK? (Priya)", "Priya:ok"),
        ("Score (Ana)", "Ana:overall"),
        ("分数（王芳）", "王芳:overall"),
        ("점수 (김민수)", "김민수:overall"),
        ("채점(김),채점(이)", "김:overall 이:overall"),
        ("Priya OK?,Tom OK?", "- -"),
        ("correctness_1,correctness_2", "annotator_1:correctness annotator_2:correctness"),
        ("correctness,correctness_ben", ":correctness ben:correctness"),
        ("human_ana_tone,human_ben_tone", "human_ana:tone human_ben:tone"),
        ("ana_wit,ana_tact,bob_wit,bob_tact", "ana:wit ana:tact bob:wit bob:tact"),
        ("ana_风趣,ana_得体,ben_得体,ben_风趣", "ana:风趣 ana:得体 ben:得体 ben:风趣"),
    ],
)
def test_one_criterion_alone_is_read_as_of_several_graders_with_a_doubt(columns, read):
    columns = columns.split(",")
    assert proposed(columns) == (read, [tuple(columns)])


def test_who_is_known_from_one_criterion_is_known_in_another():
    found, doubts = proposed(["correctness_ana", "correctness_ben", "tone_ana"])
    assert found == "ana:correctness ben:correctness ana:tone"
    assert doubts == [("correctness_ana", "correctness_ben")]


def test_groups_that_share_no_grader_are_criteria_with_a_doubt():
    columns = ["plain tone", "dry tone", "deep relevance", "wide relevance"]
    found, doubts = proposed(columns)
    assert found == (":plain_tone :dry_tone :deep_relevance :wide_relevance")
    assert doubts == [tuple(columns[:2]), tuple(columns[2:])]


@pytest.mark.parametrize(
    "columns",
    [
        "factual_correctness,semantic_correctness",
        "answer_correctness,answer_relevancy,context_correctness,context_relevancy",
        "recall@5,recall@10",
        "quality,overall_quality",
        "dialogue_quality,dialogue_coherence",
        "Q0,Q1",
        "Correctness (strict)",
        "Correctness (overall)",
        "Correctness (Ana),Tone (Ben)",
        "Tone OK?,Style OK?",
    ],
)
def test_criteria_are_not_taken_for_graders(columns):
    found, doubts = proposed(columns.split(","))
    assert {one.partition(":")[0] for one in found.split()} == {""}
    assert doubts == []


FIRST = "question,answer,"


def scales(text: str, *words: str, name: str = "a.csv"):
    table = open_table(text.encode(), name)
    return grade_scales(table, column_map(table.columns, words))


def test_each_criterion_has_the_values_of_its_columns():
    found = scales(
        FIRST + "a,b,c\nq,x,1,2,9\nr,y,5,,7\n",
        "score:annotator:A:tone=a",
        "score:annotator:B:tone=b",
        "score:annotator:B:wit=c",
    )
    assert found.criteria == ("tone", "wit")
    assert found.of(["tone"]).scale == (1, 2, 3, 4, 5)
    assert [(v.text, v.n) for v in found.of(["tone"]).values] == [("1", 1), ("2", 1), ("5", 1)]
    assert found.of(["wit"]).n == 2


@pytest.mark.parametrize(
    ("one", "other", "are_different"),
    [
        ("12345", "1234", False),  # nobody gave a 5
        ("0123", "123", False),
        ("012", "01", False),
        ("12345", "01", True),
        ("0123", "01", True),
        ("12345", ("1", "7", "10"), True),
    ],
)
def test_scales_that_cannot_be_one_are_different(one, other, are_different):
    rows = "".join(f"q{n},a,{one[n % len(one)]},{other[n % len(other)]}\n" for n in range(20))
    words = ("score:annotator:A:tone=a", "score:annotator:A:wit=b")
    said = scales(FIRST + "a,b\n" + rows, *words).different()
    assert bool(said) == are_different
