import json
import threading

import pandas as pd
import pytest

import concord
from concord import Problem, import_answers, import_grades
from concord.library import arguments
from concord.store import items, sheets
from tests.support.commandline import invoke
from tests.support.exports import FOLDER

MAPPING = {
    "question": "question",
    "answer": "response",
    "answer_model": "system",
    "score:annotator:Lea:correctness": "lea",
}


def test_a_frame_is_imported_once(store, graded_answers):
    first = import_answers(store, graded_answers, "pilot", mapping=MAPPING, rubric="doc-qa-0-3")
    assert (first.sheet, first.rubric) == ("pilot", "doc-qa-0-3")
    assert (first.counts.items, first.counts.grades) == (60, 60)
    again = import_answers(store, graded_answers, "pilot", mapping=MAPPING, rubric="doc-qa-0-3")
    assert (again.counts.items, again.counts.grades, again.counts.grades_unchanged) == (0, 0, 60)


def test_grades_in_words_make_a_rubric_of_their_own(store):
    frame = pd.DataFrame(
        {
            "question": [f"q{n}" for n in range(4)],
            "answer": [f"a{n}" for n in range(4)],
            "lea": ["fine", "bad", "fine", "skip"],
        }
    )
    taken = import_answers(
        store,
        frame,
        "words",
        mapping={"score:annotator:Lea:quality": "lea"},
        scores={"fine": 1, "bad": 0, "skip": None},
        scale=range(2),
    )
    assert taken.rubric not in (None, "doc-qa-0-3") and taken.counts.grades == 3


def test_what_cannot_be_imported_is_a_problem_and_stores_nothing(store, graded_answers):
    with pytest.raises(Problem):
        import_answers(store, graded_answers)
    with pytest.raises(Problem, match="not from list"):
        import_answers(store, [{"question": "q"}], "x")
    with pytest.raises(Problem):
        import_answers(store, graded_answers.assign(system=[1, "b"] * 30), "x")
    with pytest.raises(Problem):
        import_answers(store, pd.concat([graded_answers, graded_answers], axis=1), "x")
    with pytest.raises(Problem, match="9"):
        wrong = graded_answers.assign(lea=[9, *graded_answers.lea[1:]])
        import_answers(store, wrong, "x", mapping=MAPPING, rubric="doc-qa-0-3")
    assert sheets.all_sheets(store) == []


def test_a_problem_names_the_frame_and_the_arguments(store, graded_answers):
    def problem(frame, **more):
        with pytest.raises(Problem) as raised:
            import_answers(store, frame, "p", **more)
        return str(raised.value)

    wrong = graded_answers.assign(lea=[9, *graded_answers.lea[1:]])
    text = problem(wrong, mapping=MAPPING, rubric="doc-qa-0-3")
    problem(graded_answers.assign(lea="fine"), mapping=MAPPING, rubric="doc-qa-0-3")
    words = {"answer": "response", "item_id": "question", "question": "question"}
    import_answers(store, graded_answers[:1], "p", mapping=words)
    text = problem(graded_answers[:1].assign(response="Other."), mapping=words)
    assert "--" not in text


@pytest.mark.parametrize(
    ("of_command", "of_python"),
    [
        ("as in --map answer=COLUMN, or add it.", 'as in mapping={"answer": "COLUMN"}, or add it.'),
        (
            'models: --map "answer:a b=a b" --map "answer:c=c"',
            'models: mapping={"answer:a b": "a b", "answer:c": "c"}',
        ),
        (
            "as in --map \"answer:it's=it's\", or --map answer=it's; or not.",
            'as in mapping={"answer:it\'s": "it\'s"}, or mapping={"answer": "it\'s"}; or not.',
        ),
        (
            'as in --score "x y=1", or --score "x y=".',
            'as in scores={"x y": 1}, or scores={"x y": None}.',
        ),
        ("as in --scale 1-5.", "as in scale=range(1, 6)."),
        ("Name one with --rubric.", "Name one with rubric=."),
        ("the file p.csv, and --partially", "the file p.csv, and --partially"),
    ],
)
def test_options_become_arguments(of_command, of_python):
    assert arguments.in_python(of_command) == of_python


def test_with_partial_the_good_rows_are_imported_and_the_others_named(store, graded_answers):
    wrong = graded_answers.assign(lea=[9, *graded_answers.lea[1:]])
    taken = import_answers(store, wrong, "x", mapping=MAPPING, rubric="doc-qa-0-3", partial=True)
    assert taken.counts.grades == 59
    assert len(taken.left_out) == 1 and "9" in taken.left_out[0]


@pytest.mark.parametrize("name", ["promptfoo.json", "inspect.json", "mlflow.json", "deepeval.json"])
def test_a_file_of_another_tool_is_imported_as_by_the_command(store, name, tmp_path):
    db = tmp_path / "other.db"
    done = invoke(db, "import", FOLDER / name, "--json")
    (told,) = json.loads(done.stdout)["sheets"]
    taken = import_answers(store, FOLDER / name)
    assert json.loads(json.dumps(taken.found.to_json())) == told["found"]
    assert (taken.counts.items, taken.counts.grades) == (told["items"], told["grades"])
    assert taken.rubric == told["rubric"] and taken.counts.grades > 0
    noted = [one for one in done.stderr.splitlines() if not one.startswith("new rubric")]
    assert all(any(str(said) in line for line in noted) for said in taken.found.sentences())


def test_the_report_of_an_export_is_typed_and_nothing_is_stored_by_a_dry_run(store):
    taken = import_answers(store, FOLDER / "mlflow.json", "traces", dry_run=True)
    assert sheets.all_sheets(store) == []
    assert taken.found.annotators == {"ana": 2, "bo": 2, "cem": 2}
    (judge,) = (one for one in taken.found.judges if one.version)
    assert (judge.model, judge.version) == ("openai:/gpt-4.1-mini", "2")
    assert taken.found.scores == {"no": 0, "yes": 1}
    assert [one.count for one in taken.found.left_out] == [3, 3]


def test_grades_whose_answers_are_elsewhere_are_no_answers(store):
    with pytest.raises(Problem):
        import_answers(store, FOLDER / "langfuse_scores.csv")


HUMAN = {"grader_kind:": "annotator"}


def frame(*scores, ids=("a", "b")):
    return pd.DataFrame(
        {"item_id": ids, "annotator": "Lea", "criterion": "correctness", "score": scores}
    )


def taken(store, grades, **more):
    return import_grades(store, grades, "pilot", mapping=HUMAN, rubric="doc-qa-0-3", **more)


def test_grades_of_a_frame_are_imported_once(store, two_answers):
    first = taken(store, frame(2, 3))
    assert (first.sheet, first.rubrics, first.counts.grades) == ("pilot", ("doc-qa-0-3",), 2)
    again = import_grades(store, frame(2, 3), mapping=HUMAN)  # the only sheet, and its rubric
    assert (again.counts.grades, again.counts.grades_unchanged) == (0, 2)
    assert store.column("select score from grades order by id") == [2, 3]


def test_another_score_is_kept_or_replaced_as_the_script_says(store, two_answers):
    taken(store, frame(2, 3))
    with pytest.raises(Problem):
        taken(store, frame(2, 2))
    assert taken(store, frame(2, 2), on_conflict="keep").counts.grades_replaced == 0
    assert taken(store, frame(2, 2), on_conflict="replace").counts.grades_replaced == 1


def test_what_cannot_be_imported_stores_nothing(store, two_answers):
    with pytest.raises(Problem, match=r'as in mapping=\{"grader_kind:": "annotator"\}'):
        import_grades(store, frame(2, 3), "pilot")
    with pytest.raises(Problem, match="not from list"):
        import_grades(store, [{"item_id": "a"}], "pilot")
    with pytest.raises(Problem):
        taken(store, frame(2, 3, ids=("z", "b")))
    assert store.value("select count(*) from grades") == 0
    good = taken(store, frame(2, 3, ids=("z", "b")), partial=True)
    assert good.counts.grades == 1 and good.left_out[0].startswith("row 1: ")


HALF = "half \ud800"


def frame_of_arguments(**columns):
    return pd.DataFrame({"question": ["Q?"], "answer": ["A"], **columns}, dtype=object)


@pytest.mark.parametrize(
    "call",
    [
        lambda store: concord.agreement(None),
        lambda store: concord.import_answers("x.db", frame_of_arguments(), "s"),
        lambda store: concord.import_answers(store, frame_of_arguments(), 5),
        lambda store: concord.import_answers(
            store, frame_of_arguments(), "s", mapping="question=x"
        ),
        lambda store: concord.import_answers(store, frame_of_arguments(), HALF),
        lambda store: concord.import_answers(store, frame_of_arguments(question=[HALF]), "s"),
        lambda store: concord.import_grades(store, frame_of_arguments(), 5),
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
            lambda: concord.import_answers(store, frame_of_arguments(), "s"),
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


def test_an_answer_that_is_nan_is_missing_and_counted(store):
    answers = ["A", float("nan"), None, ""]
    table = pd.DataFrame({"question": [f"Q{n}?" for n in range(4)], "answer": answers})
    done = concord.import_answers(store, table, "s")
    stored = [one.item.answer for one in items.items(store, [1, 2])]
    assert (done.counts.items, stored, len(done.left_out)) == (2, ["A", ""], 1)
    assert store.value("select count(*) from items") == 2
