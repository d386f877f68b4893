"""The judges of a choice as a table: for the terminal, the screen and its CSV."""

from concord.messages import said
from concord.reports.decision.cost import dollars
from concord.reports.decision.more_labels import in_words
from concord.reports.decision.reasons import confidence, points
from concord.reports.decision.verdict import CANNOT_TELL, FAILING_FLOOR, GOOD_ENOUGH, NOT, VERDICTS
from concord.reports.panel.simulated import named
from concord.reports.panel.terminal_tables import UNDEFINED, number, share, table


def text(found: dict) -> str:
    """The judges as a table for a terminal, and below it who is none and why."""
    rows = shown(found)
    parts = [table(list(rows[0]), [list(row.values()) for row in rows])] if rows else []
    left_out = [f"{judge}: {why}." for judge, why in found["left_out"].items()]
    parts += [intervals(found), "\n".join(left_out)]
    return "\n\n".join(part for part in parts if part)


def intervals(found: dict) -> str:
    """At which level the limits of the table are, which is not that of `agreement`."""
    return said(
        "Intervals of exact, difference, QWK and judge - people: {level} CI, simultaneous over all "
        "judges and conditions, so wider than the 95% CI that Agreement gives; of failure recall: "
        "95% CI.",
        level=confidence(found),
    )


def shown(found: dict) -> list[dict]:
    """One row per judge, all in words."""
    return [_row(row, found) for row in found["judges"]]


def verdict(row: dict) -> str:
    """The verdict on a judge in words; of the reference judge only what stands against it."""
    if not row["is_reference"]:
        return VERDICTS[row["verdict"]]
    return {
        GOOD_ENOUGH: said("reference judge"),
        NOT: said("reference judge: not good enough either"),
        CANNOT_TELL: said("reference judge: cannot tell yet"),
    }[row["verdict"]]


def price(row: dict) -> str:
    """The price of 1,000 answers, as `$0.90`; `free` and `unknown` where it is so."""
    cost = row["cost_per_1000"]
    if cost is None:
        return said("unknown")
    return dollars(cost) if cost else said("free")


def seconds(row: dict) -> str:
    """Median and 95th percentile of the seconds per answer, as `6.4 (14.2)`."""
    if row["seconds"] is None:
        return UNDEFINED
    late = row["seconds_p95"]
    return f"{row['seconds']:.1f}" + (f" ({late:.1f})" if late is not None else "")


def failure_recall(row: dict) -> str:
    """The share of failing answers caught with its interval and count."""
    found = row["failure_recall"]
    if not row["n"]:
        return UNDEFINED
    return said(
        "{share} of {failing}, too few to vouch"
        if found["failing"] < FAILING_FLOOR
        else "{share} of {failing}",
        share=share(found),
        failing=found["failing"],
    )


def _row(row: dict, found: dict) -> dict:
    return {
        said("judge"): named(row["judge"], row["simulated"]),
        said("verdict"): verdict(row),
        said("exact"): share(row["exact"]),
        said("difference, points"): UNDEFINED if row["is_reference"] else points(row["difference"]),
        said("$ per 1,000"): price(row),
        said("seconds (p95)"): seconds(row),
        said("failure recall"): failure_recall(row),
        said("more labels"): _more(row, found),
        said("QWK"): number(row["qwk"]),
        said("judge - people, points"): points(row["judge_minus_ceiling"]),
    }


def _more(row: dict, found: dict) -> str:
    return in_words(row["more_labels"], found) if row["more_labels"] else ""
