"""Nested objects as files of JSON may hold them, for fuzzing."""

from hypothesis import strategies as st

ROWS = [
    {
        "qid": f"q{n}",
        "question": f"What is meant by {n}?",
        "gt_answer": f"The number that comes after {n - 1}.",
        "answers": {
            model: {"answer_string": f"{model} says that {n} is a number.", "human_score": n % 3}
            for model in ("alpha", "beta-2.1")
        },
    }
    for n in range(8)
]

KEYS = st.sampled_from(["question", "answer", "a", "b.c", "gpt-4.1", "", "text", "0", "é", "x y"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=6), st.just("Why?")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
OBJECTS = st.lists(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), min_size=1, max_size=6)
