"""Sheets from other tools: files of RAGAS and deepeval become items, and RAGAS's form again."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord import metrics
from concord.exporting import ragas
from concord.importing import answer_file, list_cells, sheet_import
from concord.metrics.prompts.inputs import Undefined
from concord.model import Context
from concord.store import items as store_items
from concord.store import sheets
from concord.store.database import open_store
from tests.support.commandline import invoke
from tests.support.made_items import made_item
from tests.support.scripted_desk import ScriptedDesk, measured, value

# W33: the three smallest samples there are.
MINI = [
    ("Germany", "What is the capital of Germany?", "Berlin is the capital of Germany."),
    ("Austen", "Who wrote Pride and Prejudice?", "Jane Austen wrote Pride and Prejudice."),
    ("H2O", "What is the chemical formula of water?", "The chemical formula of water is H2O."),
]


def mini():
    return [
        {
            "user_input": question,
            "retrieved_contexts": [answer],
            "retrieved_context_ids": [name],
            "response": answer,
            "reference": answer,
            "reference_context_ids": [name],
        }
        for name, question, answer in MINI
    ]


def lines(*rows) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def load(*rows, mapped=()):
    return answer_file.load(lines(*rows), "s.jsonl", mapped)


def one(**row):
    """The only item of a file with the only row."""
    (item,) = load({"user_input": "Q?", "response": "A.", **row}).items
    return item


def test_the_three_smallest_samples_come_in_and_metric_perfectly():
    items = load(*mini()).items
    assert [item.question for item in items] == [question for _, question, _ in MINI]
    for item, (name, _, answer) in zip(items, MINI, strict=True):
        assert item.contexts == (Context(name, "", answer, 1),)
        assert (item.answer, item.reference, item.relevant_ids) == (answer, (answer,), (name,))
        assert value("context_precision_by_ids", item) == 1
        assert value("context_recall_by_ids", item) == 1


def test_a_blank_context_without_an_id_keeps_its_rank_out_and_in_again():
    item = one(retrieved_contexts=["", "useful", " "])
    assert [(each.text, each.rank) for each in item.contexts] == [("", 1), ("useful", 2), (" ", 3)]
    (again,) = load(ragas.sample(item)).items
    assert again == item


def test_the_metric_reads_the_rubric_that_came_with_the_item():
    item = one(rubrics={"score1_description": "bad", "score3_description": "good"})
    metric = metrics.named("item_rubric")
    with pytest.raises(Undefined):
        measured(metric, item, ScriptedDesk())
    item = one(rubrics={f"score{n}_description": f"Level {n}." for n in (1, 2, 3)})
    desk = ScriptedDesk({"item_rubric": {"reason": "So.", "score": 3}})
    assert measured(metric, item, desk).value == 1
    assert metric.lacks(one()) == ("rubric",)


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
SAID = TEXT.filter(str.strip)
NAME = SAID.map(str.strip).filter(bool)
TURN = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system"]), "content": TEXT}
)


@st.composite
def an_item(draw):
    contexts = draw(st.lists(st.tuples(st.sampled_from(["", "a", "b"]), NAME, SAID), max_size=3))
    turns = draw(st.lists(TURN, max_size=4))
    beside = {
        "relevant_ids": st.lists(NAME, max_size=3),
        "rubric": st.just({"0": "no", "1": "yes"}),
        "judge_date": st.just("2024-02-09"),
        "team": NAME,
    }
    talk = list_cells.item_fields(
        list_cells.messages(turns, draw(SAID), draw(TEXT))
    )  # as a conversation would be read
    return made_item(
        1,
        question=talk.question,
        answer=talk.answer,
        turns=talk.turns or None,
        contexts=tuple(Context(i, d, t, n) for n, (i, d, t) in enumerate(contexts, 1)),
        reference=tuple(draw(st.lists(SAID, max_size=3))),
        reference_contexts=tuple(draw(st.lists(SAID, max_size=2))),
        synthetic=draw(st.booleans()),
        cluster=draw(st.none() | NAME),
        metadata=draw(st.fixed_dictionaries({}, optional=beside)),
    )


@settings(deadline=None)
@given(an_item())
def test_the_form_of_ragas_gives_the_same_item_again(item):
    (again,) = load(ragas.sample(item)).items
    assert again == item


def test_a_sheet_goes_out_in_the_form_of_ragas_and_comes_in_again(tmp_path, store):
    talk = {"user_input": [{"content": "Q", "type": "human"}, {"content": "A", "type": "ai"}] * 2}
    sheet_import.take_sheet(store, load(*mini()), "a/b")
    sheet_import.take_sheet(store, load(talk), "a/b")
    out = tmp_path / "out"
    assert invoke(store.path, "export", "--all", out).exit_code == 0
    names = sorted(path.name for path in (out / "ragas").iterdir())
    assert names == ["a_b-conversations.jsonl", "a_b.jsonl"]
    with open_store(tmp_path / "again.db") as again:
        for name in names:
            sheet_import.take_sheet(again, answer_file.load(out / "ragas" / name), "a/b")
        held = {
            opened.path: [
                one.item._replace(row=0)
                for one in store_items.items(
                    opened, store_items.item_ids(opened, sheets.find(opened, "a/b").id)
                )
            ]
            for opened in (store, again)
        }
    first, second = held.values()
    assert sorted(first, key=repr) == sorted(second, key=repr)


def test_the_table_of_items_keeps_what_is_said_beside_them(tmp_path, store):
    sheet_import.take_sheet(store, load(*mini()), "s")
    assert invoke(store.path, "export", "--all", tmp_path / "out").exit_code == 0
    items = answer_file.load(tmp_path / "out" / "items.csv").items
    assert [item.relevant_ids for item in items] == [(name,) for name, _, _ in MINI]
