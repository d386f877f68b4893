"""Choose, the prices: what a judge costs, alone and beside the reference judge."""

from concord.messages import said
from concord.reports.decision.cost import dollars


def price(found: dict, row: dict) -> str:
    """What a judge costs beside the reference judge."""
    ours = row["cost_per_1000"]
    theirs = reference(found)["cost_per_1000"]
    if ours is None:
        return said("at a price that is unknown")
    if not ours:
        return said("at no cost")
    if theirs:
        return said(
            "at {part} the price ({prices})",
            part=_ratio(ours / theirs),
            prices=_prices(found, dollars(ours), dollars(theirs)),
        )
    against = found["against"]
    other = said("the price of {judge} is nothing", judge=against)
    if theirs is None:
        other = said("the price of {judge} is unknown", judge=against)
    other = said("simulated prices, {prices}", prices=other) if found["simulated"] else other
    return said("at {price} per 1,000 answers ({other})", price=dollars(ours), other=other)


def alone(found: dict) -> str:
    """What 1,000 answers of the reference judge cost."""
    row = reference(found)
    told = known_price(row)
    if row["cost_per_1000"] is None:
        return told
    if found["simulated"]:
        return said("simulated price, {price} per 1,000 answers", price=told)
    return said("{price} per 1,000 answers", price=told)


def known_price(row: dict) -> str:
    """The price of 1,000 answers of a judge alone."""
    cost = row["cost_per_1000"]
    return said("price unknown") if cost is None else dollars(cost)


def reference(found: dict) -> dict:
    """The row of the reference judge."""
    return next(row for row in found["judges"] if row["is_reference"])


def _prices(found: dict, ours: str, theirs: str) -> str:
    told = said("{ours} against {theirs} per 1,000 answers", ours=ours, theirs=theirs)
    return said("simulated prices, {prices}", prices=told) if found["simulated"] else told


def _ratio(ratio: float) -> str:
    if ratio >= 0.95:
        return said("{n:.1f} times", n=ratio)
    parts = 1 / ratio
    if parts >= 1.5:
        return said("1/{n:.0f} of", n=parts)
    return said("{n:.0f}% of", n=100 * ratio)
