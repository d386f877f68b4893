"""What is noticed of a server that began to answer as another model, and where it is said."""

from concord.clock import a_day_ago, now
from concord.messages import is_message
from concord.reports.certificate.drift import drift, news
from concord.reports.workflow.workflow import loop
from concord.store import certificates, runs
from concord.store.runs import Receipt, Reply


def run_of(store, sheet, judge):
    return runs.start(store, judge.id, sheet.id, None, {}, [], {}, None)


def replied(store, sheet, judge, run_id, *told):
    """Replies under these (day or time, model, system fingerprint), in this order."""
    before = store.value("select coalesce(max(repeat), 0) from replies")
    for number, (at, model, system) in enumerate(told, before + 1):
        took = Receipt(model=model, system_fingerprint=system)
        reply = Reply(judge.id, 1, "c", "", number, 1, "{}", "{}", "scored", took)
        runs.add_replies(store, run_id, [reply])
        store.execute(
            "update replies set created_at = ? where id = (select max(id) from replies)", (at,)
        )


def at(minute):
    return f"2026-01-20T10:{minute:02}:00.000Z"


def said(store, sheet, judge):
    return [one.sentence for one in drift(store, sheet.id, judge)]


def test_a_server_that_stays_the_same_or_says_nothing_is_no_news(store, sheet, certified_judge):
    replied(
        store,
        sheet,
        certified_judge,
        run_of(store, sheet, certified_judge),
        (at(1), None, None),
        (at(9), None, None),
    )
    assert said(store, sheet, certified_judge) == []


def test_another_model_in_the_middle_of_a_run_is_told_with_the_time(store, sheet, certified_judge):
    first, second = run_of(store, sheet, certified_judge), run_of(store, sheet, certified_judge)
    replied(store, sheet, certified_judge, first, (at(1), "m-1", "a"), (at(2), "m-1", "a"))
    replied(store, sheet, certified_judge, first, (at(3), "m-2", "a"))
    replied(store, sheet, certified_judge, second, (at(9), "m-2", "b"))
    assert said(store, sheet, certified_judge) == [
        "From 2026-01-20 10:03 on, in the middle of a run, the server answers as m-2 (a) "
        "instead of m-1 (a).",
        "From 2026-01-20 10:09 on, m-2 answers with the system fingerprint b instead of a.",
    ]


def test_models_by_turns_are_told_once_and_not_of_a_judge_with_a_larger_sibling(
    store, sheet, certified_judge
):
    told = [(at(n), f"m-{n % 2}", None) for n in range(1, 7)]
    replied(store, sheet, certified_judge, run_of(store, sheet, certified_judge), *told)
    (sentence,) = said(store, sheet, certified_judge)
    assert sentence == "Since 2026-01-20 10:02 the server alternates between m-1 and m-0."
    definition = {"judge": {"larger": {"model": "m-1"}}}
    assert said(store, sheet, certified_judge._replace(definition=definition)) == []


def test_a_reply_in_flight_at_the_change_makes_no_turns(store, sheet, certified_judge):
    told = [(at(n), "m-1", None) for n in range(21)] + [
        (at(20), "m-2", None),
        (at(40), "m-2", None),
    ]
    replied(store, sheet, certified_judge, run_of(store, sheet, certified_judge), *told)
    assert "instead of m-1" in said(store, sheet, certified_judge)[0]


def test_a_change_after_the_last_certificate_of_the_sheet_says_so(
    store, sheet, four, certified_judge
):
    run_id = run_of(store, sheet, certified_judge)
    replied(store, sheet, certified_judge, run_id, (at(1), "m-1", None))
    body = {"made_at": at(2), "expires_at": "2027-01-01"}
    certificates.keep(store, body, sheet.id, certified_judge.id, None)
    replied(store, sheet, certified_judge, run_id, (at(3), "m-2", None))
    assert said(store, sheet, certified_judge)[0].endswith(
        "Its certificate of 2026-01-20 was written before that."
    )
    assert "certificate" not in said(store, four, certified_judge)[0]


def test_the_start_screen_tells_of_a_change_of_the_last_day(store, sheet, certified_judge):
    run_id = run_of(store, sheet, certified_judge)
    replied(store, sheet, certified_judge, run_id, (at(1), "m-1", None), (now(), "m-2", None))
    assert "the server answers as m-2 instead of m-1" in loop(store, sheet).news[-1]
    assert news(store, sheet, now()) == [] != news(store, sheet, a_day_ago())
    assert all(map(is_message, news(store, sheet, a_day_ago())))
    store.execute("update replies set created_at = ? where model = 'm-2'", (at(2),))
    assert not any("m-2" in one for one in loop(store, sheet).news)


def test_what_answers_is_read_from_an_index_alone(store):
    plan = store.rows(
        "explain query plan select run_id, model, system_fingerprint, count(*), min(created_at),"
        " max(created_at) from replies where grader_id = 1 and status = 'scored'"
        " group by run_id, model, system_fingerprint"
    )
    assert "USING COVERING INDEX replies_by_answering" in plan[0]["detail"]
