"""Nested objects as files of JSON may hold them, for fuzzing."""

from hypothesis import strategies as st

KEYS = st.sampled_from(["question", "answer", "a", "b.c", "gpt-4.1", "", "text", "0", "é", "x y"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=6), st.just("Why?")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
OBJECTS = st.lists(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), min_size=1, max_size=6)
