"""Receipt: what an answer took, at a price, as it is stored with the reply."""

from concord.judges.definition import prices
from concord.judges.definition.prices import Price
from concord.judges.transport.response import Answer
from concord.store.usage import Receipt


def receipt(answer: Answer, found: Price | None) -> Receipt:
    """What an answer took; where usage or price is unknown, so is its cost."""
    usage = answer.usage
    spent = prices.cost(usage, found) if usage else None
    return Receipt(
        answer.finish_reason,
        usage.input if usage else None,
        usage.output if usage else None,
        usage.cached if usage else None,
        found.model_dump_json(exclude_none=True) if found else None,
        str(found.date) if found else None,
        None if spent is None else float(spent),
        answer.latency,
        answer.model,
        answer.system_fingerprint,
    )
