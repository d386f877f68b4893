"""Files of shapes that evaluation tools write, put together at random: read or refused, no more."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.proposals.accept import as_proposed, unambiguous
from concord.importing.proposals.grade_rubric import grade_rubric
from concord.importing.proposals.propose import propose
from concord.importing.readers.formats import open_table
from concord.messages import Problem

WHO = st.sampled_from(
    ["ana", "ben", "gpt-4o", "human", "annotator_1", "tone", "quality", "", "x.y"]
)
SCORES = st.one_of(
    st.integers(0, 5),
    st.floats(0, 1),
    st.sampled_from(["good", "bad", "Useful", "4", "4,5", "", "n/a", "C", "I"]),
    st.none(),
    st.dictionaries(st.sampled_from(["0", "1", "yes"]), st.floats(0, 1), max_size=3),
)
TEXTS = st.sampled_from(["Paris", "42", "yes", "", "An answer of quite a few words.", "巴黎", None])
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "tool"]),
                           "content": TEXTS}), max_size=3,
)  # fmt: skip
GRADE = st.dictionaries(
    st.sampled_from(["name", "annotator", "model_version", "from_name", "type", "score", "value",
                     "label", "reason", "assertion", "judge_model"]),
    st.one_of(WHO, SCORES, st.fixed_dictionaries({"type": WHO})), max_size=5,
)  # fmt: skip
GRADES = st.one_of(
    SCORES,
    st.dictionaries(WHO, st.one_of(SCORES, GRADE), max_size=3),
    st.lists(st.one_of(SCORES, GRADE), max_size=3),
    st.lists(st.builds(lambda one, result: one | {"result": result}, GRADE,
                       st.lists(GRADE, max_size=2)), max_size=2),
)  # fmt: skip
ANSWER = st.one_of(TEXTS, MESSAGES, st.dictionaries(
    st.sampled_from(["text", "answer", "score", "contexts"]), st.one_of(TEXTS, GRADES), max_size=3,
))  # fmt: skip
ANSWERS = st.one_of(
    ANSWER,
    st.dictionaries(st.sampled_from(["gpt-4", "llama.3", "ours", "ana"]), ANSWER, max_size=3),
    st.lists(st.builds(lambda name, text: {"model": name, "text": text}, WHO, TEXTS), max_size=3),
)
CONTEXTS = st.one_of(TEXTS, st.lists(TEXTS, max_size=2), st.lists(st.fixed_dictionaries(
    {"output": st.fixed_dictionaries({"text": TEXTS}), "tags": st.lists(WHO, max_size=1)}),
    max_size=2))  # fmt: skip
ROW = st.dictionaries(
    st.sampled_from(["answers", "response", "output", "predictions", "annotations", "scores",
                     "gradingResult", "ctxs", "references", "messages", "gold", "instance_id"]),
    st.one_of(ANSWERS, GRADES, CONTEXTS), max_size=5,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=4), st.integers(1, 3))
def test_any_shape_of_a_tool_is_read_as_proposed_or_refused_in_one_sentence(rows, times):
    found = [{"question": f"What is {n}?"} | row for n, row in enumerate(rows * times)]
    table = open_table(json.dumps(found).encode(), "s.json")
    assert json.dumps(propose(table).as_json())
    unambiguous(table)
    for words in (lambda: as_proposed(table, ()), lambda: propose(table).spoken(), tuple):
        try:
            columns = column_map(table.columns, words())
            made = grade_rubric(table, columns, [], {})
            if made is None:
                read = answer_file.read(table, columns)
            else:
                read = answer_file.read(table, made.columns, made.fit.rubric, made.words)
        except Problem as refused:
            assert str(refused).strip()
            continue
        assert read.refusal() is None or str(read.refusal())
        assert {one.item_key for one in read.grades} <= {one.identity for one in read.items}
