"""Runs of metrics against a real server: nothing asked twice, nothing lost, no number made up."""

import json
from collections import Counter

import pytest

from concord.judges.definition.model import parse
from concord.judges.prompting import metric_request
from concord.judges.prompting.metric_request import Undefined, Unreadable
from concord.judges.run import metric as jobs
from concord.judges.transport.client import Client
from concord.judges.transport.response import Answer
from concord.messages import Problem
from concord.metrics.framework.metric import Metric, Outcome
from concord.metrics.prompts.ask import Ask, system_message
from concord.metrics.selection import choice, chosen
from concord.model import Context
from concord.store import additions, graders, metric_values, runs
from concord.store.units import units
from tests.support.fakejudge import PRICED, Fake, completion
from tests.support.judges.rubric_runs import ended as end_of
from tests.support.made_items import made_item
from tests.support.metric_runs import (
    CLAIMS,
    LENGTH,
    REFERENCE,
    MetricEndpoint,
    filled,
    judge,
    numbers,
    prepared,
    ran,
    replies,
    run_metrics,
    statuses,
)
from tests.support.patience import until
from tests.support.warm_server import Verb


def test_replies_units_verdicts_and_numbers_are_all_on_disk(store, one, server):
    ended = ran(store, one, judge(server, CLAIMS))
    assert (ended.status, ended.counts.done, ended.counts.calls) == ("done", 1, 2)
    mine = graders.find(store, "metric", "mine")
    item_id = numbers(store, one)[0]["item_id"]
    claims = units.current(store, [item_id], "claim")[item_id]
    assert (len(claims.units), claims.decomposer_id) == (2, mine.id)
    verdicts = store.rows("select * from grades where unit_id is not null order by unit_id")
    assert [row["unit_id"] for row in verdicts] == [unit.id for unit in claims.units]
    assert {row["grader_id"] for row in verdicts} == {mine.id}
    assert all(row["label"] and row["reason"] and row["quote"] for row in verdicts)
    number = numbers(store, one)[0]
    supported = [row["label"] for row in verdicts].count("supported")
    assert (number["metric"], number["score"], number["units"]) == (CLAIMS, supported / 2, 2)
    assert json.loads(number["parts"])["strict"] == supported / 2
    assert [row["status"] for row in replies(store)] == ["scored", "scored"]
    assert {row["tokens_in"] > 0 for row in replies(store)} == {True}
    assert runs.of_sheet(store, one.id)[0]["status"] == "done"


def test_running_again_asks_nothing_and_another_metric_takes_up_what_is_known(store, four, server):
    ran(store, four, judge(server, CLAIMS))
    before = len(server.seen)
    assert ran(store, four, judge(server, CLAIMS)).counts.total == 0
    assert len(server.seen) == before == 8
    ran(store, four, judge(server, CLAIMS, "noise_sensitivity_relevant"))
    claims = [seen for seen in server.seen[before:] if "split a text into claims" in system(seen)]
    assert len(claims) == 2  # of the two references; those of the answers are there


def system(seen):
    return seen.body["messages"][0]["content"]


def test_what_two_answers_ask_alike_is_asked_once(store, four, server):
    ran(store, four, judge(server, *REFERENCE))
    of_references = [s for s in server.seen if "REFERENCE" in s.body["messages"][1]["content"]]
    assert max(server.delivered.values()) == 1
    apart = [s for s in of_references if "split a text into claims" in system(s)]
    assert len(apart) == 2  # questions, though four answers need their claims


@pytest.mark.parametrize("metrics", [(CLAIMS,), REFERENCE, ("noise_sensitivity_irrelevant",)])
def test_as_many_requests_are_made_as_were_estimated(store, four, server, metrics):
    asked = judge(server, *metrics)
    job = prepared(store, four, asked, repeats=2)
    expected = job.estimate(store)
    ended = ran(store, four, asked, repeats=2)
    assert expected.calls == ended.counts.calls == len(server.seen)
    assert expected.is_free() and expected.new == 8
    left = prepared(store, four, asked, repeats=3).estimate(store)
    assert left.settled == 8
    assert left.calls == ran(store, four, asked, repeats=3).counts.calls


def test_repeats_are_separate_verdicts_on_the_same_claims(store, one, server):
    ran(store, one, judge(server, CLAIMS), repeats=3)
    assert Counter(row["repeat"] for row in replies(store)) == {1: 2, 2: 1, 3: 1}
    assert [row["repeat"] for row in numbers(store, one)] == [1, 2, 3]
    assert store.value("select count(*) from decompositions where kind = 'claim'") == 1


def test_another_reading_of_a_metric_is_a_criterion_of_its_own_and_asks_nothing(store, one, server):
    ran(store, one, judge(server, CLAIMS))
    lenient = judge(server, CLAIMS, more=f'[switches.{CLAIMS}]\nsupport = "lenient"')
    assert ran(store, one, lenient).counts.calls == 0
    found = numbers(store, one)
    assert len({row["version"] for row in found}) == 2
    assert len({row["grader_id"] for row in found}) == 1
    assert [json.loads(row["body"])["switches"]["support"] for row in found] == [
        "strict",
        "lenient",
    ]


def test_a_reply_that_cannot_be_read_is_asked_again_then_given_up_for_all_metrics(
    store, one, server
):
    server.behaviour.write = lambda body: "No idea."
    ended = ran(store, one, judge(server, CLAIMS, "noise_sensitivity_relevant"))
    assert ended.counts.calls == 3
    assert statuses(store, one) == {"unparsable": 2}
    assert [row["attempt"] for row in replies(store)] == [1, 2, 3]
    assert prepared(store, one, judge(server, CLAIMS)).pending == []
    server.behaviour.write = filled
    ran(store, one, judge(server, CLAIMS), retry_unscored=True)
    assert Counter(r["status"] for r in numbers(store, one) if r["metric"] == CLAIMS) == {
        "scored": 1
    }


def test_a_reply_that_was_cut_off_is_asked_again_with_twice_the_room(store, one, server):
    server.behaviour.script = ["cut"]
    ran(store, one, judge(server, CLAIMS, more="max_tokens = 64"))
    room = [seen.body["max_completion_tokens"] for seen in server.seen]
    assert room == [64, 128, 64]
    assert statuses(store, one) == {"scored": 1}


@pytest.mark.parametrize(("fault", "status"), [("filter", "refused"), ("500", "failed")])
def test_what_is_refused_or_gets_no_reply_is_no_number(store, one, server, fault, status):
    server.behaviour.script = [fault]
    ended = ran(store, one, judge(server, CLAIMS, "noise_sensitivity_relevant"))
    assert statuses(store, one) == {status: 2}
    assert ended.counts.calls == 1  # the second metric needs the same claims
    again = ran(store, one, judge(server, CLAIMS))
    assert statuses(store, one)["scored"] == (status == "failed")
    assert again.counts.total == (status == "failed")


def test_two_answers_that_the_server_refuses_in_several_requests_end_no_run(store, four, server):
    refused = Answer("failed", "The server answered 400: Inappropriate.", http_status=400)
    begun = []

    def reply(body, _):
        begun.append(body)
        return refused if len(begun) <= 3 else completion(filled(body))

    job = prepared(store, four, judge(server, CLAIMS, *REFERENCE))
    fake = Fake(reply)
    ended = run_metrics(store, job, lambda of: fake, concurrency=1)
    assert (ended.status, ended.counts.done) == ("done", 4)
    assert statuses(store, four) == {"failed": 5, "scored": 7}


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_budget_ends_the_run_and_what_is_open_is_done_the_next_time(store, four, at_once):
    text = 'name = "paid"\nkind = "metric"\nmodel = "gpt-4.1"\nmetrics = ["faithfulness"]\n'
    asked = parse(f'{text}[endpoint]\nbase_url = "{PRICED}"\n', "paid.toml")
    fake = Fake(lambda body, _: completion(filled(body), tokens=(1000, 100)))
    job = prepared(store, four, asked)
    ended = run_metrics(store, job, lambda of: fake, budget=0.01, concurrency=at_once)
    assert ended.status == "stopped"
    assert 0 < ended.counts.cost <= 0.01 and len(fake.bodies) == 3
    assert run_metrics(store, job, lambda of: fake).counts.calls == 5
    assert statuses(store, four) == {"scored": 4}


def test_what_a_metric_itself_finds_lacking_is_settled_too(store, one, server):
    async def lacking(item, by):
        raise Undefined("missing_input", "It has no colour.")

    made = choice(judge(server, CLAIMS))
    of_colour = chosen(votes(1)._replace(metric=lacking), {})
    made = made._replace(metrics=(of_colour,))
    run_metrics(store, jobs.prepare(store, judge(server, CLAIMS), made, one), Client)
    assert jobs.prepare(store, judge(server, CLAIMS), made, one).pending == []


def test_asking_again_touches_only_what_has_no_number_and_only_where_something_new_is_said(
    store, server
):
    rubrics = [{"0": "No.", "1": "Yes."}, {"0": "No.", "5": "Yes."}, {"0": "No.", "1": "Yes."}]
    made = [made_item(n, metadata={"rubric": one}) for n, one in enumerate(rubrics)]
    sheet = additions.add(store, "own", made, "o.csv", "6" * 64, {})
    server.behaviour.write = lambda body: "no" if "What is 2?" in str(body) else filled(body)
    asked = judge(server, "item_rubric")
    ran(store, sheet, asked)
    rows = "select id, item_id, status, supersedes from grades order by id"
    first = [tuple(row) for row in store.rows(rows)]
    assert sorted(row[1:3] for row in first) == [
        (1, "scored"),
        (2, "missing_input"),
        (3, "unparsable"),
    ]
    ran(store, sheet, asked, retry_unscored=True)
    assert [tuple(row) for row in store.rows(rows)] == first
    server.behaviour.write = filled
    ended = ran(store, sheet, asked, retry_unscored=True)
    before = next(row[0] for row in first if row[1] == 3)
    assert [tuple(row) for row in store.rows(rows)][3:] == [(4, 3, "scored", before)]
    assert ended.counts.calls == 1


def test_only_the_verdicts_that_did_not_come_are_asked_for_once_more(store, one, server):
    def forgetful(body):
        reply = json.loads(filled(body))
        reply["verdicts"] = reply.get("verdicts", [])[:1]
        return json.dumps(reply) if "verdicts" in filled(body) else filled(body)

    server.behaviour.write = forgetful
    assert ran(store, one, judge(server, CLAIMS)).counts.calls == 3
    assert statuses(store, one) == {"scored": 1}
    ids = '"u1", "u2"', '"u1"'
    assert all(asked in json.dumps(s.body) for asked, s in zip(ids, server.seen[1:], strict=True))


def test_a_verdict_that_never_came_is_told_and_not_the_last_reply(store, one, server):
    def partial(body):
        reply = json.loads(filled(body))
        if "verdicts" not in reply:
            return filled(body)
        two = reply["verdicts"][:1] if len(reply["verdicts"]) > 1 else []
        return json.dumps({"verdicts": two})

    server.behaviour.write = partial
    ran(store, one, judge(server, CLAIMS))
    assert "1 of 2" in numbers(store, one)[0]["reason"]


def votes(count):
    """A metric that asks the very same several times."""

    def ask(item, vote):
        form = {"yes": {"type": "boolean"}}
        read = lambda reply: reply["yes"]  # noqa: E731
        return Ask("vote", "Say yes or no.", item.answer, form, {"yes": True}, read, vote)

    async def metric(item, by):
        said = [await by.ask(ask(item, vote)) for vote in range(1, count + 1)]
        return Outcome(sum(said) / count, units=count)

    return Metric("votes", "Votes", "?", "yes / votes", ("answer",), metric, "here")


def test_votes_are_separate_replies_to_the_same_request(store, one, server):
    asked = judge(server, CLAIMS)
    made = choice(judge(server, CLAIMS))._replace(metrics=(chosen(votes(3), {}),))
    job = jobs.prepare(store, asked, made, one)
    assert job.estimate(store).calls == 3
    assert run_metrics(store, job, Client).counts.calls == 3
    assert len({row["part"] for row in replies(store)}) == 3


def test_what_makes_a_judge_for_metrics_the_same(server):
    def identity(more="", *metrics):
        asked = judge(server, *(metrics or (CLAIMS,)), more=more)
        return metric_request.fingerprint(asked, choice(asked).prompts)

    assert identity() == identity("", "context_recall")
    assert identity() == identity(f'[switches.{CLAIMS}]\nsupport = "lenient"')
    others = [identity("temperature = 0"), identity('output = "tool"'), identity("seed = 1")]
    assert len({identity(), *others}) == 4


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[switches.faithfulness]\nmood = "strict"', "mood"),
        ('[switches.faithfulness]\nsupport = "odd"', "strict, lenient"),
        ('[switches.bleu]\nmood = "strict"', "mood"),
        ('[switches.nothing]\na = "b"', "nothing"),
    ],
)
def test_a_switch_that_is_not_known_is_named(server, text, named):
    with pytest.raises(Problem, match=named):
        choice(judge(server, CLAIMS, more=text))


def test_what_an_item_lacks_is_said_and_nobody_is_asked(store, server):
    made = [made_item(1, reference=()), made_item(2, contexts=(), reference=())]
    sheet = additions.add(store, "bare", made, "b.csv", "5" * 64, {})
    prepared(store, sheet, judge(server, *REFERENCE))
    ran(store, sheet, judge(server, *REFERENCE))
    assert server.seen == []
    assert statuses(store, sheet) == {"missing_input": 4}
    assert prepared(store, sheet, judge(server, *REFERENCE)).pending == []


def test_vectors_are_asked_for_once_and_kept(store, four, server):
    asked = judge(server, "semantic_similarity", embeds=True)
    expected = prepared(store, four, asked).estimate(store)
    ended = ran(store, four, asked)
    texts = [text for texts in server.embedded for text in texts]
    assert sorted(texts) == sorted({*texts}) and len(texts) == 5  # four answers, one reference
    assert ended.counts.calls == len(server.embedded) == expected.calls
    assert ended.counts.tokens_in > 0 and server.seen == []
    assert statuses(store, four) == {"scored": 4}
    assert store.value("select count(*) from vectors where length(vector) = ?", (4 * LENGTH,)) == 5
    assert all("data" not in json.loads(row["raw"]) for row in replies(store))
    assert prepared(store, four, asked, repeats=2).estimate(store).calls == 0
    other = asked.embedding.model_copy(update={"model": "e2"})
    assert (
        prepared(store, four, asked.model_copy(update={"embedding": other})).estimate(store).calls
    )


def test_without_an_embedding_model_nothing_falls_back_to_another_server(store, one, server):
    asked = judge(server, CLAIMS, "semantic_similarity")
    job = prepared(store, one, asked)
    assert list(job.left_out) == ["semantic_similarity"]
    assert "[embedding]" in job.left_out["semantic_similarity"]
    ran(store, one, asked)
    assert [row["metric"] for row in numbers(store, one)] == [CLAIMS]
    with pytest.raises(Problem, match="embedding"):
        prepared(store, one, judge(server, "semantic_similarity"))


def test_a_list_that_a_person_edited_is_judged_anew_where_it_changed(store, one, ana, server):
    ran(store, one, judge(server, CLAIMS))
    item_id = numbers(store, one)[0]["item_id"]
    claims = units.current(store, [item_id], "claim")[item_id]
    kept, _ = claims.units
    units.edit(store, claims, [(kept.id, kept.text), (None, "It is odd.")], ana)
    ended = ran(store, one, judge(server, CLAIMS))
    assert ended.counts.calls == 1
    assert "It is odd." in server.seen[-1].body["messages"][1]["content"]
    assert kept.text not in server.seen[-1].body["messages"][1]["content"]
    assert prepared(store, one, judge(server, CLAIMS)).pending == []
    assert len(numbers(store, one)) == 1


def test_pairs_of_edited_claims_and_contexts_are_judged_anew(store, one, ana, server):
    asked = judge(server, "noise_sensitivity_relevant")
    ran(store, one, asked)
    item_id = numbers(store, one)[0]["item_id"]
    claims = units.current(store, [item_id], "claim")[item_id]
    units.edit(store, claims, [(None, "It is odd.")], ana)
    assert ran(store, one, asked).counts.calls == 2  # by the reference, and by the one context
    assert numbers(store, one)[0]["units"] == 1


def test_each_endpoint_gets_its_own_key_and_no_other(store, one, server, monkeypatch):
    monkeypatch.setenv("CHAT_KEY", "sk-chat")
    monkeypatch.setenv("VECTOR_KEY", "sk-vector")
    text = 'name = "mine"\nkind = "metric"\nmodel = "m"\nprice = 0\n'
    text += 'metrics = ["response_relevancy"]\n'
    for section, key in (("embedding", "VECTOR_KEY"), ("endpoint", "CHAT_KEY")):
        text += f'[{section}]\nbase_url = "{server.url}"\napi_key_env = "{key}"\n'
        text += 'model = "e"\n' if section == "embedding" else ""
    ran(store, one, parse(text, "mine.toml"))
    assert server.keys == ["Bearer sk-vector"]
    assert {seen.headers["Authorization"] for seen in server.seen} == {"Bearer sk-chat"}
    kept = json.dumps([[*row] for row in store.rows("select request, raw from replies")])
    assert "sk-" not in kept


def judge_of_metric_request(more=""):
    return parse(f'name = "mine"\nkind = "metric"\nmodel = "m"\n{more}\n', "mine.toml")


def read(reply):
    if "n" not in reply:
        raise Unreadable("There is no n.")
    return reply["n"]


ASK = Ask(
    "count",
    system_message("Count.", {"n": "..."}),
    "One.",
    {"n": {"type": "integer"}},
    {"n": 1},
    read,
)


def said(text, finish="stop"):
    return metric_request.read(completion(text, finish).completion, ASK)


@pytest.mark.parametrize(
    ("output", "keys"),
    [
        ("json_schema", {"response_format"}),
        ("json_object", {"response_format"}),
        ("tool", {"tools", "tool_choice"}),
        ("text", set()),
    ],
)
def test_the_form_is_asked_for_in_the_judges_way_and_always_in_words(output, keys):
    body = metric_request.body(
        judge_of_metric_request(f'output = "{output}"\ntemperature = 0'), ASK
    )
    assert body.keys() - {"model", "messages", "temperature"} == keys
    assert '{"n": "..."}' in body["messages"][0]["content"]
    if output == "json_schema":
        assert body["response_format"]["json_schema"]["schema"] == ASK.schema()


def test_the_object_may_stand_in_prose_and_its_numbers_are_plain():
    assert said('Here it is: {"n": 2.0} Good luck.') == 2
    value = said('{"n": [1, 0.5, {"deep": 3}]}')
    assert value == [1, 0.5, {"deep": 3}]
    assert [type(one) for one in value[:2]] == [int, float]


@pytest.mark.parametrize(
    ("text", "finish", "status"),
    [
        ("I say two.", "stop", "unparsable"),
        ('{"n": 1} {"n": 1}', "stop", "unparsable"),
        ('{"m": 1}', "stop", "unparsable"),
        ('{"n": 1, "n": 2}', "stop", "unparsable"),
        ('{"n": 1}', "length", "truncated"),
        ("I'm sorry, but I cannot.", "stop", "refused"),
        ('{"n": 1}', "content_filter", "refused"),
    ],
)
def test_what_cannot_be_taken_is_no_value(text, finish, status):
    with pytest.raises(Undefined) as caught:
        said(text, finish)
    assert caught.value.status == status


@pytest.mark.parametrize(
    "data",
    [
        *(None, [[1.0]], [[1.0], None], [[1.0], [1.0, 2.0]], [[1.0], [0.0]]),
        *([[1.0], [float("inf")]], [[1.0], [True]], [["1"], ["1"]]),
    ],
)
def test_vectors_that_say_nothing_are_refused(data):
    listed = data and [{"index": n, "embedding": vector} for n, vector in enumerate(data)]
    with pytest.raises(Undefined):
        metric_request.vectors_of({"data": listed}, 2, None)


def test_vectors_come_back_in_the_order_of_the_texts():
    data = [{"index": 1, "embedding": [2.0]}, {"index": 0, "embedding": [1.0]}]
    assert metric_request.vectors_of({"data": data}, 2, 1) == [(1.0,), (2.0,)]
    with pytest.raises(Undefined, match="different dimensions"):
        metric_request.vectors_of({"data": data}, 2, 3)


def test_claims_of_a_models_own_are_others_in_every_answer_and_the_answer_is_embedded_once(store):
    """Same contexts and reference, but the question differs, so a model may claim otherwise."""
    given = {"contexts": (Context("", "", "Tea is old.", 1),), "reference": ("Tea is very old.",)}
    alike = [made_item(n, answer="Tea is old.", **given) for n in range(3)]
    sheet = additions.add(store, "alike", alike, "f.csv", "4" * 64, {})
    metrics = "noise_sensitivity_relevant", "answer_correctness", "semantic_similarity"
    with MetricEndpoint() as server:
        asked = judge(server, *metrics, embeds=True)
        expected = prepared(store, sheet, asked).estimate(store)
        ended = ran(store, sheet, asked)
    # per answer: claims of both sides, the answer's by the reference and by the context, and the
    # reference's by the answer and by the context; all three answers and references are one text
    assert expected.calls == ended.counts.calls == 3 * 6 + 1


IN_FLIGHT = 4
METRICS = ("faithfulness", "context_recall", "semantic_similarity")


def command(store, folder, server):
    """The verb `judge` for a judge of three metrics."""
    mine = folder / "mine.toml"
    mine.write_text(
        'name = "mine"\nkind = "metric"\nmodel = "m"\nprice = 0\n'
        f"metrics = {json.dumps(METRICS)}\n"
        f'[embedding]\nmodel = "e"\nprice = 0\nbase_url = "{server.url}"\n'
        f'[endpoint]\nbase_url = "{server.url}"\n'
    )
    return store.path, "judge", mine, "--yes", f"--concurrency={IN_FLIGHT}"


def test_killed_at_several_moments_only_what_is_missing_is_asked(store, tmp_path):
    """Each time while the server keeps it waiting for the requests in flight."""
    made = [made_item(n, m) for n in range(10) for m in ("atlas", "birch")]
    sheet = additions.add(store, "twenty", made, "t.csv", "2" * 64, {})
    with MetricEndpoint() as server:
        verb = command(store, tmp_path, server)
        for asked in (1, 15, 40):
            server.behaviour.holds_from = asked
            running = Verb(*verb)
            until(lambda goal=asked: len(server.seen) >= goal)
            running.kill()
            running.wait()
        server.behaviour.holds_from = None
        code, said = end_of(Verb(*verb))
        assert code == 0, said
        delivered, texts = server.delivered, [t for asked in server.embedded for t in asked]
    # claims of twenty answers and of ten references, each with the verdicts on them
    assert len(delivered) == 20 + 20 + 10 + 10
    assert sum(delivered.values()) <= len(delivered) + 3 * IN_FLIGHT
    found = Counter(
        (row["metric"], row["status"]) for row in metric_values.of_sheet(store, sheet.id)
    )
    assert found == {(name, "scored"): 20 for name in METRICS}
    # What had been answered but was not yet on disk when it was killed is asked again.
    assert len(texts) - len({*texts}) <= 3 * IN_FLIGHT
    good = "select count(*), count(distinct part) from replies where status = 'scored'"
    assert len({*store.row(good)}) == 1
    states = [row["status"] for row in runs.of_sheet(store, sheet.id)]
    assert states == ["done", "stopped", "stopped", "stopped"]


def test_two_processes_at_once_do_not_ask_twice(store, tmp_path):
    additions.add(store, "three", [made_item(n) for n in range(3)], "t.csv", "3" * 64, {})
    with MetricEndpoint(holds_from=1) as server:
        verb = command(store, tmp_path, server)
        both = [Verb(*verb) for _ in "ab"]
        until(lambda: any(running.poll() is not None for running in both))
        server.release()
        (_, _said), (code, _refused) = sorted(map(end_of, both))
        assert code == 2
        assert max(server.delivered.values()) == 1
