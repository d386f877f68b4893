"""Texts of a judge's run box: the key, the offer and its price, open batches, the outcome."""

from collections.abc import Sequence

from concord import clock
from concord.judges.definition.model import Judge
from concord.judges.rubric_runs import batch_status
from concord.judges.running.cost_estimate import Estimate, price_in_words
from concord.judges.transport import api_keys, key_source
from concord.messages import Problem, Said, counted, minute, said
from concord.store.batches import Batch

NOTHING = said("Nothing left to run")
ALL_SCORED = said("Every answer has a score from this judge already.")


def key_sentence(judge: Judge) -> str:
    """Return a sentence on whether the key is set; the key itself is never shown."""
    name = judge.endpoint.api_key_env
    if judge.endpoint.auth_style() == "none":
        return said("This server needs no key.")
    if not api_keys.may_be_sent(name, judge.url()):
        return said(
            "No key is sent to {url}: the operator of Concord has not listed it for {name}. Ask "
            "the operator, or give the judge another server.",
            url=judge.url(),
            name=name,
        )
    if key_source.typed.get().get(name):
        return said("The key typed in this session is used for {name}.", name=name)
    if key_source.value(name):
        return said("API key: {name} is set.", name=name)
    if judge.is_local():
        return said("{name} is not set; a local server usually needs no key.", name=name)
    if api_keys.may_be_typed(judge):
        return said(
            "{name} is not set. Enter the key for this session, or set {name} in the terminal "
            "(export {name}=...) before Concord starts.",
            name=name,
        )
    return said(
        "{name} is not set. Stop Concord, set it in the terminal (export {name}=...), and start "
        "Concord again.",
        name=name,
    )


def why_no_key(judge: Judge) -> Said | None:
    """Return why a run or a trial lacks the key it needs; None where it would find it.

    It is shown below the `key_sentence`, which says what to do.
    """
    try:
        api_keys.key(judge)
    except Problem:
        if api_keys.may_be_typed(judge):
            return said(
                "The judge's key is missing: enter it above, or set it before Concord starts."
            )
        return said("The judge's key is missing.")
    return None


def batch_line(batch: Batch) -> str:
    """Return the status of an open batch when the server was last polled, in words."""
    made, asked = map(minute, (batch.created_at, batch.asked_at))
    requests = counted(batch.questions, "request")
    if batch.remote_id is None:
        return said(
            "A batch of {requests} of {made} (UTC) has not reached the server yet.",
            requests=requests,
            made=made,
        )
    return said(
        "A batch of {requests} was submitted at {made} (UTC). Status at the last check ({asked}): "
        "{status}, {done:,} answered. No live requests are sent meanwhile.",
        requests=requests,
        made=made,
        asked=asked,
        status=batch.status.replace("_", " "),
        done=batch_status.read(batch.told).done,
    )


def batch_lines(waiting: Sequence[Batch]) -> list[str]:
    """The open batches in words, the first three one by one."""
    lines = [batch_line(batch) for batch in waiting[:3]]
    rest = len(waiting) - len(lines)
    if not rest:
        return lines
    return [*lines, said("And {more}.", more=counted(rest, "more batch", "more batches"))]


def mode_and_price(expected: Estimate, batch: bool) -> str:
    """Asking live or as a batch, and at what price, in words."""
    if batch:
        price = price_in_words(expected.batch_cost)
        return said("As a batch, replies arrive within a day: {price}", price=price)
    return said("Live, replies arrive immediately: {price}", price=price_in_words(expected.cost))


def run_label(expected: Estimate, begun: bool, batch: bool = False) -> str:
    """Return the button's label with the price."""
    if is_all_done(expected):
        return NOTHING
    if not expected.calls:
        return said("Store known replies, free")
    calls = counted(expected.calls, "request")
    if batch:
        price = price_in_words(expected.batch_cost)
        return said("Submit batch: {calls}, {price}", calls=calls, price=price)
    price = price_in_words(expected.cost)
    return said(
        "Resume: {calls}, {price}" if begun else "Run: {calls}, {price}", calls=calls, price=price
    )


def is_all_done(expected: Estimate) -> bool:
    """True where the judge has nothing left to do on a sheet."""
    return not expected.calls and not expected.cached and not expected.too_long


def is_retired(judge: Judge) -> bool:
    """True where the provider has retired the model by now."""
    return judge.retired is not None and judge.retired <= clock.today()
