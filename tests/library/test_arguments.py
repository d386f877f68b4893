"""Arguments that cannot be, and values that no database takes, end in one sentence."""

import threading

import pandas as pd
import pytest

import concord
from concord.store import items

HALF = "half \ud800"


def frame(**columns):
    return pd.DataFrame({"question": ["Q?"], "answer": ["A"], **columns}, dtype=object)


@pytest.mark.parametrize(
    "call",
    [
        lambda store: concord.agreement(None),
        lambda store: concord.import_answers("x.db", frame(), "s"),
        lambda store: concord.import_answers(store, frame(), 5),
        lambda store: concord.import_answers(store, frame(), "s", mapping="question=x"),
        lambda store: concord.import_answers(store, frame(), HALF),
        lambda store: concord.import_answers(store, frame(question=[HALF]), "s"),
        lambda store: concord.import_grades(store, frame(), 5),
        lambda store: concord.agreement(store, 5),
        lambda store: concord.agreement(store, HALF),
        lambda store: concord.agreement(store, rubric=5),
        lambda store: concord.agreement(store, annotators=5),
        lambda store: concord.choose(store, 5),
        lambda store: concord.judge(store, 5),
        lambda store: concord.judge(store, HALF),
        lambda store: concord.judge(store, "baseline", budget="x"),
    ],
)
def test_a_wrong_argument_is_a_problem_and_stores_nothing(store, call):
    with pytest.raises(concord.Problem):
        call(store)
    assert store.value("select count(*) from sheets") == 0


@pytest.mark.parametrize("close", [False, True])
def test_a_store_of_another_thread_or_a_closed_one_is_a_problem(store, close):
    raised = []

    def use():
        for call in (
            lambda: concord.agreement(store),
            lambda: concord.import_answers(store, frame(), "s"),
        ):
            try:
                call()
            except BaseException as error:
                raised.append(type(error))

    if close:
        store.close()
        use()
    else:
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
    assert raised == [concord.Problem] * 2


def test_a_missing_answer_in_a_column_of_a_model_is_counted(store):
    table = frame(atlas=[None], birch=[float("nan")], crane=["C"])
    mapping = {f"answer:{model}": model for model in ("atlas", "birch", "crane")}
    done = concord.import_answers(store, table.drop(columns="answer"), "s", mapping=mapping)
    assert (done.counts.items, len(done.left_out)) == (1, 1)


def test_an_answer_that_is_nan_is_missing_and_counted(store):
    answers = ["A", float("nan"), None, ""]
    table = pd.DataFrame({"question": [f"Q{n}?" for n in range(4)], "answer": answers})
    done = concord.import_answers(store, table, "s")
    stored = [one.item.answer for one in items.items(store, [1, 2])]
    assert (done.counts.items, stored, len(done.left_out)) == (2, ["A", ""], 1)
    assert store.value("select count(*) from items") == 2
