"""Check: one call to a judge's endpoint, with what works, what it ignored and what to change."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from concord import clock
from concord.judges.definition import prices, providers
from concord.judges.definition.model import FUNCTION, OUTPUTS, Judge, Shot
from concord.judges.definition.prices import Price, cost, price_of
from concord.judges.few_shot import gather
from concord.judges.prompting import metric_request
from concord.judges.prompting.metric_request import Undefined
from concord.judges.prompting.reply import Verdict
from concord.judges.prompting.request import PLACEHOLDER, request
from concord.judges.run.progress import usd
from concord.judges.transport import endpoint_errors
from concord.judges.transport.client import Client
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.judges.transport.response import Answer
from concord.messages import Problem, joined, said
from concord.model import Context, Item
from concord.rubrics.model import Rubric
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

RAISE = "Raise {place}."
# The check of a metric judge, which has no rubric of its own.
RUBRIC = "doc-qa-0-1"


ITEM = PLACEHOLDER._replace(
    own_id="check",
    question_id="check",
    question="Until when is the reading room open on Thursdays?",
    contexts=(
        Context(
            "", "", "The reading room opens at ten. It closes at six, on Thursdays at nine.", 1
        ),
    ),
    answer="On Thursdays the reading room closes at nine in the evening.",
    reference=("Until nine in the evening.",),
)


class Finding(NamedTuple):
    """One check; `holds`: None if it does not apply or is inconclusive."""

    what: str
    holds: bool | None
    sentence: str


class Report(NamedTuple):
    """Findings of one test call to a judge."""

    judge: str
    model: str | None
    url: str | None
    findings: list[Finding]

    @property
    def holds(self) -> bool:
        """True where no finding requires a change."""
        return all(finding.holds is not False for finding in self.findings)


class SentRequest(NamedTuple):
    """A request on its way: the judge, what it grades by, the body and its part.

    `ask` is that of a metric, where the request is one; its form takes the criteria's place.
    """

    judge: Judge
    rubric: Rubric
    part: str
    body: dict[str, Any]
    calls: int
    ask: Any = None


class Setup(NamedTuple):
    """A judge, the rubric it grades by, and the graded answers that it is shown."""

    judge: Judge
    rubric: Rubric
    shots: Sequence[Shot] = ()


def setup(store: Store, judge: Judge, rubric: str | None, sheet_name: str | None) -> Setup:
    """Return what a judge is checked with: the named rubric, else its own, else a small one.

    The sheet is needed only for a judge whose examples are graded items of a sheet.
    """
    _, graded_by = rubric_versions.argument(store, rubric or judge.rubric or RUBRIC)
    graded_by.check_meanings()
    plan, shots = judge.example_plan(), []
    if plan is not None and plan.source == "graded":
        shots = gather(store, judge, graded_by, sheets.chosen(store, sheet_name))
    return Setup(judge, graded_by, shots)


def prepare(judge: Judge, rubric: Rubric, shots: Sequence[Shot] = ()) -> SentRequest:
    """Return the one request that is sent: the first of those that the built-in item takes."""
    asked = judge.parts(rubric)
    part = next(iter(asked))
    return SentRequest(judge, rubric, part, request(judge, rubric, ITEM, part, shots), len(asked))


def item_of(asked: str, context: str, answer: str, reference: str) -> Item:
    """Return the built-in item with other texts; an empty context or reference is left out."""
    return ITEM._replace(
        question=asked,
        contexts=(Context("", "", context, 1),) if context else (),
        answer=answer,
        reference=(reference,) if reference else (),
        reference_contexts=(context,) if context else (),
    )


def of_judge(
    store: Store, judge: Judge, rubric: str | None = None, sheet_name: str | None = None
) -> SentRequest | Report:
    """The request for a judge, or the report on one that sends none.

    The sheet is needed only for a judge whose examples are graded items of a sheet.
    """
    if judge.model is None:
        text = "It runs inside Concord and sends no requests, so there is nothing to check."
        found = [*retired(judge), Finding("reached", None, text)]
        return Report(judge.name, None, None, found)
    return prepare(*setup(store, judge, rubric, sheet_name))


def send(sent: SentRequest | Report) -> Report:
    """Send the request, once more where the server is busy, and report on it."""
    if isinstance(sent, Report):
        return sent
    try:
        answer = asyncio.run(_ask(sent.judge, sent.body))
    except Problem as problem:  # no key, or the endpoint refuses for good
        what = "endpoint" if isinstance(problem, EndpointProblem) else "key"
        return _report(sent, [Finding(what, False, str(problem))])
    found = answered(sent, answer, prices.load(), clock.today())
    return found._replace(findings=[*found.findings, *_embedding(sent.judge)])


def answered(sent: SentRequest, answer: Answer, known: Sequence[Price], today: date) -> Report:
    """The report on what a request came to, in the order in which a user would mend it."""
    judge, place = sent.judge, sent.judge.place
    remedy = endpoint_errors.remedy(judge, getattr(answer.why, "code", None))
    if answer.http_status is None or (answer.status == "failed" and not answer.is_turned_away):
        if answer.timed_out:
            remedy = said(RAISE, place=place("timeout_s"))
        text = joined(" ", [answer.why, remedy or "Check the server's own log."])
        return _report(sent, [Finding("reached", False, text)])
    found = [Finding("reached", True, f"{answer.latency:.2f} s")]
    if answer.status:
        text = joined(" ", [answer.why, remedy or place("base_url")])
        return _report(sent, [*found, Finding("reply", False, text)])
    names = [*sent.ask.form] if sent.ask else [c.name for c in judge.parts(sent.rubric)[sent.part]]
    verdicts = _verdicts(sent, answer, names)
    found += [
        _reply(sent, verdicts),
        *_output(judge, answer.completion, verdicts, names),
        *_settings(judge, answer),
        _model(judge, answer),
        _cost(sent, answer, price_of(known, judge, today)),
    ]
    return _report(sent, found)


async def _ask(judge: Judge, body: Mapping[str, Any], *path: str) -> Answer:
    async with Client(judge, max_retries=1) as client:
        return await client.ask(body, *path)


def _embedding(judge: Judge) -> list[Finding]:
    """Test the embedding model, where the judge file names one."""
    asked = metric_request.embedder(judge)
    if asked is None:
        return []
    body = metric_request.embedding_body(asked, [ITEM.question])
    try:
        answer = asyncio.run(_ask(asked, body, metric_request.EMBEDDINGS_PATH))
        if answer.status:
            return [Finding("embedding", False, answer.why)]
        (vector,) = metric_request.vectors_of(answer.completion, 1, None)
    except (Problem, Undefined) as error:
        return [Finding("embedding", False, str(error))]
    return [Finding("embedding", True, f"{asked.model}, {len(vector):,}")]


def _report(sent: SentRequest, findings: list[Finding]) -> Report:
    """Return the report, with the settings that the documentation of a known server recommends."""
    judge = sent.judge
    advice = [Finding("server", None, one) for one in providers.advice(judge)]
    return Report(judge.name, judge.model, judge.url(), [*retired(judge), *findings, *advice])


def retired(judge: Judge) -> list[Finding]:
    """The warning about a model that is or will be retired, where there is one."""
    warning = judge.retirement()
    return [Finding("retirement", None, warning)] if warning else []


def _verdicts(sent: SentRequest, answer: Answer, names: Sequence[str]) -> dict[str, Verdict]:
    """Return the verdict under each key; for a metric's request one verdict on the whole reply."""
    if sent.ask is None:
        return sent.judge.read(answer.raw, names, sent.rubric.scale)
    try:
        metric_request.read(answer.completion, sent.ask)
    except Undefined as error:
        return {sent.ask.name: Verdict(error.status, why=error.reason)}
    return {}


def _reply(sent: SentRequest, verdicts: dict[str, Verdict]) -> Finding:
    """Check that every criterion got a score, and the probability that the judge file asks for."""
    judge = sent.judge
    faults = {name: verdict for name, verdict in verdicts.items() if verdict.status != "scored"}
    wanted = next((key for key in ("confidence", "logprobs") if getattr(judge, key)), None)
    unsure = [name for name, one in verdicts.items() if wanted and one.distribution is None]
    if not faults and unsure:
        text = "The reply lacks it for {names}. Name a model that gives it, or remove {place}."
        text = said(text, names=joined(", ", unsure), place=judge.place(wanted))
        return Finding("reply", False, text)
    if not faults:
        given = (f"{name} {one.score}" for name, one in verdicts.items())
        return Finding("reply", True, ", ".join(given))
    statuses = {verdict.status for verdict in faults.values()}
    if "truncated" in statuses:
        key, remedy = "max_tokens", RAISE
    elif "refused" in statuses:
        key, remedy = "model", "Name another model: {place}."
    elif not judge.chats:
        key, remedy = "dialect", "Correct {place}, or name a decision model."
    elif any(verdict.lacks_probabilities for verdict in faults.values()):
        key, remedy = "reading", "Remove {place}, or name another model."
    else:
        key, remedy = "output", "Try another output mode, or a stronger model: {place}."
    whys = dict.fromkeys(f"{name}: {verdict.why}" for name, verdict in faults.items())
    return Finding("reply", False, joined(" ", [*whys, remedy.format(place=judge.place(key))]))


def _output(
    judge: Judge, completion: dict[str, Any], verdicts: Mapping[str, Verdict], names: Sequence[str]
) -> list[Finding]:
    """Check that the reply has the requested format; nothing where it is no whole text."""
    mode = judge.output
    if not judge.chats or mode == "text":
        return []
    content = ""
    try:
        message = completion["choices"][0]["message"]
        content = (message.get("content") or "").strip()
        if mode == "tool":
            (call,) = message["tool_calls"]
            is_honoured = call["function"]["name"] == FUNCTION
        else:
            value = json.loads(content)
            is_honoured = isinstance(value, dict) and mode == "json_object"
            is_honoured = is_honoured or value.keys() == {*names}
    except (LookupError, TypeError, ValueError, RecursionError, AttributeError):
        is_honoured = False
    if is_honoured:
        return [Finding("output", True, mode)]
    if not content or {one.status for one in verdicts.values()} & {"truncated", "refused"}:
        return []
    others = joined(" or ", (one for one in OUTPUTS if one != mode))
    text = "The server ignored it. Set it to {others}: {place}."
    return [Finding("output", False, said(text, others=others, place=judge.place("output")))]


def _settings(judge: Judge, answer: Answer) -> list[Finding]:
    """Return that the server ignored the limit of a reply, the one setting that a call shows."""
    limit, usage = judge.max_tokens, answer.usage
    if not (limit and usage and usage.output > limit):
        return []
    text = "The server ignored max_tokens. Set max_tokens_field to the other name, or remove "
    return [Finding("settings", False, f"{text}{judge.place('max_tokens')}.")]


def _model(judge: Judge, answer: Answer) -> Finding:
    """Compare the model that answered; a version, a tag or an owner in its name is no other."""
    named = answer.model or ""
    names = (one.casefold().rpartition("/")[2] for one in (named, judge.model))
    first, second = (one.removesuffix("-latest") for one in names)
    is_it = bool(named) and (first.startswith(second) or second.startswith(first))
    return Finding("model", is_it or None, named or "unknown")


def _cost(sent: SentRequest, answer: Answer, price: Price | None) -> Finding:
    """About what 1,000 answers like the built-in one cost; real ones are mostly longer."""
    spent = cost(answer.usage, price)
    if spent is None:
        return Finding("cost", None, "unknown")
    about = usd(float(1000 * sent.calls * spent))
    return Finding("cost", True, said("{usd} for 1,000 like this one", usd=about))
