"""Choose in words: the one sentence with the verdict, the difference, the price and the look."""

from data.counted import counted
from reports.cost import dollars
from reports.simulated import named, people_sentence
from reports.text import number, percent, share
from reports.verdict import (
    CANNOT_TELL,
    CEILING,
    DIFFERENCE,
    FAILING_FLOOR,
    GOOD_ENOUGH,
    KAPPA,
    MINIMUM,
    NOT,
    QUESTIONS_FLOOR,
)

_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth")


def sentence(found: dict) -> str:
    """The finding, then the look; what is simulated is called so."""
    return f"{title(found)} {look(found)}"


def title(found: dict) -> str:
    """The finding in one sentence, from the document of `reports.choice`."""
    row = _about(found)
    if row is None:
        return _nobody(found)
    parts = [_verdict(found, row), _caught(row), _price(found, row), _more(found), _either(found)]
    return ", ".join(part for part in parts if part) + "."


def headline(found: dict) -> str:
    """The finding at a glance: the verdict, with its difference or with what would tell."""
    row = _about(found)
    if row is None:
        return _nobody(found)
    if row["verdict"] != CANNOT_TELL or not found["more_labels"]:
        return f"{_verdict(found, row)}."
    judge = named(row["judge"], found["simulated"])
    return f"Cannot tell yet whether {judge} is good enough: {_more(found)}."


def rest(found: dict) -> str:
    """What the headline leaves of the finding, and the look."""
    row = _about(found)
    if row is None:
        return look(found)
    open_still = row["verdict"] == CANNOT_TELL and found["more_labels"]
    why = _capital(f"{_reason(found, row) or '; '.join(row['why'])}. ") if open_still else ""
    parts = ", ".join(part for part in (_caught(row), _price(found, row)) if part)
    return f"{why}{_capital(parts)}. {look(found)}"


def look(found: dict) -> str:
    """Which look it was, and which decision where it is not the first."""
    place = found["looks"]
    said = f"{ordinal(place)} look"
    if place > found["looks_at_most"]:
        said += ", which is beyond the four that have an error to spend"
    said += "." if found["new_look"] else " again: no grade is new."
    fixed = found["decision"]["number"]
    return said if fixed == 1 else f"{said} {ordinal(fixed)} decision on these answers."


def detail(found: dict) -> str:
    """What must stand beside the finding: on what it rests, and what weakens it."""
    people = found["people"]
    simulated = sum(person["simulated"] for person in people)
    said = [
        f"Compared on the {counted(found['answers'], 'answer')} to "
        f"{_questions(found)} that people and all judges scored for "
        f"{found['criterion']}.",
        _instead(found),
        _itself(found),
        people_sentence(simulated, len(people)),
        "The terms were fixed after agreement on these answers could be seen."
        if found["fixed_after_sight"]
        else "",
        *_weak(found),
        _others(found),
    ]
    return " ".join(filter(None, said))


def _questions(found: dict) -> str:
    """How many questions, and how many documents they share, which is what is resampled."""
    shared = found["clusters"] < found["questions"]
    of = f" of {counted(found['clusters'], 'document')}" if shared else ""
    return f"{counted(found['questions'], 'question')}{of}"


def ordinal(number: int) -> str:
    """`First`, `Second`, and so on; beyond the ninth a figure."""
    return _ORDINALS[number - 1] if number <= len(_ORDINALS) else f"{number}th"


def points(estimate: dict) -> str:
    """A difference of shares with its limits in points, as `-1.2 [-6.9, +4.4]`."""
    if estimate["value"] is None:
        return "—"
    value = _points(estimate["value"])
    if estimate["low"] is None:
        return value
    return f"{value} [{_points(estimate['low'])}, {_points(estimate['high'])}]"


def _about(found: dict) -> dict | None:
    return next((row for row in found["judges"] if row["judge"] == found["about"]), None)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _nobody(found: dict) -> str:
    sparse = [row for row in found["judges"] if not row["is_reference"]]
    if sparse:
        return f"Cannot tell yet: {sparse[0]['judge']} cannot be compared, {sparse[0]['why'][0]}."
    against = named(found["against"], found["simulated"])
    return f"There is no judge to choose yet: none but {against} has graded these answers."


def _verdict(found: dict, row: dict) -> str:
    judge = named(row["judge"], found["simulated"])
    if row["verdict"] == GOOD_ENOUGH:
        return f"{judge} is good enough: {_difference(found, row)}"
    why = _reason(found, row) or "; ".join(row["why"])
    if row["verdict"] == CANNOT_TELL:
        return f"Cannot tell yet whether {judge} is good enough: {why}"
    others = sum(not r["is_reference"] for r in found["judges"]) - 1
    if others:
        return f"No judge is good enough; {judge}, which agrees most, is not: {why}"
    return f"{judge} is not good enough: {why}"


def _difference(found: dict, row: dict) -> str:
    between = counted(sum(r["n"] > 0 for r in found["judges"]), "judge")
    return (
        f"not worse than {named(found['against'], found['simulated'])} by more than "
        f"{_margin(found)} (difference {points(row['difference'])}, simultaneous over {between})"
    )


def _reason(found: dict, row: dict) -> str:
    """The first condition that fails, or that is open where none does, with its figure."""
    wanted = "fails" if row["verdict"] != CANNOT_TELL else "open"
    states = {name: one for name, one in row["conditions"].items() if one["state"] == wanted}
    if not states or found["level"] is None or row["clusters"] < QUESTIONS_FLOOR:
        return ""
    name, one = next(iter(states.items()))
    if one["estimate"]["low"] is None:
        return one["estimate"]["why_none"]
    against, margin = named(found["against"], found["simulated"]), _margin(found)
    said = {
        DIFFERENCE: f"worse than {against} by more than {margin}",
        MINIMUM: f"below the minimum of {percent(found['minimum'] or 0)}%",
        KAPPA: "no better than chance",
        CEILING: f"below people's agreement with one another by more than {margin}",
    }[name]
    figure = {MINIMUM: share, KAPPA: number}.get(name, points)(one["estimate"])
    return f"it {'is' if wanted == 'fails' else 'may be'} {said} ({figure})"


def _margin(found: dict) -> str:
    return counted_points(100 * found["margin"])


def counted_points(value: float) -> str:
    """A number of points in words, as `10 points`."""
    return "1 point" if value == 1 else f"{value:g} points"


def _caught(row: dict) -> str:
    failing = row["caught"]["failing"]
    if row["caught"]["value"] is None and row["n"] == 0:
        return ""
    if failing < FAILING_FLOOR:
        return f"too few failing answers to vouch ({failing})"
    if row["caught"]["count"] is not None:
        return f"catches {row['caught']['count']} of {failing} failing answers"
    return f"catches {percent(row['caught']['value'])}% of the {failing} failing answers"


def _price(found: dict, row: dict) -> str:
    ours = row["cost_per_1000"]
    theirs = _reference(found)["cost_per_1000"]
    simulated = "simulated prices, " if found["simulated"] else ""
    if ours is None:
        return "at a price that is unknown"
    if not ours:
        return "at no cost"
    alone = f"at {dollars(ours)} per 1,000 answers"
    if not theirs:
        return f"{alone} ({simulated}the price of {found['against']} is " + (
            "unknown)" if theirs is None else "nothing)"
        )
    beside = f"({simulated}{dollars(ours)} against {dollars(theirs)} per 1,000 answers)"
    return f"at {_ratio(ours / theirs)} the price {beside}"


def _ratio(ratio: float) -> str:
    if ratio >= 0.95:
        return f"{ratio:.1f} times"
    parts = 1 / ratio
    return f"1/{parts:.0f} of" if parts >= 1.5 else f"{100 * ratio:.0f}% of"


def _more(found: dict) -> str:
    if found["verdict"] != CANNOT_TELL or not found["more_labels"]:
        return ""
    low, high = found["more_labels"]
    return f"another {low:,} to {high:,} graded answers would tell"


def _either(found: dict) -> str:
    """Whether the reference judge could be used, where no other can."""
    if found["verdict"] != NOT:
        return ""
    return {
        GOOD_ENOUGH: "and the reference judge itself is good enough",
        NOT: "and the reference judge itself is not either",
        CANNOT_TELL: "and of the reference judge itself it cannot be told yet",
    }[_reference(found)["verdict"]]


def _instead(found: dict) -> str:
    """What to use, or to do, as long as no judge beside the reference is good enough."""
    candidates = [row for row in found["judges"] if not row["is_reference"]]
    if any(row["verdict"] == GOOD_ENOUGH for row in candidates) or not candidates:
        return ""
    reference, settled = _reference(found), found["verdict"] == NOT
    judge = named(found["against"], found["simulated"])
    if reference["verdict"] == GOOD_ENOUGH:
        use = f"{judge}, the reference judge, is the one to use"
        until = "" if settled else "Until that is told, "
        price = _price_of(reference)
        if reference["cost_per_1000"] is not None:
            price = f"{'simulated price, ' * found['simulated']}{price} per 1,000 answers"
        return f"{until}{use} ({price})."
    known = "" if reference["verdict"] == NOT and settled else " known to be"
    more = "" if not known else "grade more answers, or "
    return f"No judge is{known} good enough yet: {more}try another model or another prompt."


def _itself(found: dict) -> str:
    """How the reference judge stands under the same terms."""
    row = _reference(found)
    if row["verdict"] == GOOD_ENOUGH:
        return "The reference judge itself is good enough."
    why = _reason(found, row) or "; ".join(row["why"])
    if row["verdict"] == NOT:
        return f"The reference judge itself is not good enough{f': {why}' if why else ''}."
    if not row["more_labels"]:
        return f"The reference judge itself: cannot tell yet{f', {why}' if why else ''}."
    low, high = row["more_labels"]
    told = f"another {low:,} to {high:,} graded answers would tell"
    return f"The reference judge itself: cannot tell yet, {told}."


def _reference(found: dict) -> dict:
    return next(row for row in found["judges"] if row["is_reference"])


def _weak(found: dict) -> list[str]:
    """What the finding does not rest on, or rests on badly."""
    said = []
    unknown = _reference(found)["judge_minus_ceiling"]["why_none"]
    if unknown:
        said.append(_capital(f"{unknown}."))
    for row in found["judges"]:
        if row.get("failed"):
            judge = named(row["judge"], row["simulated"])
            answers = counted(row["failed"], "answer")
            said.append(f"{judge} gave no score to {answers}, which are left out.")
    return said


def _others(found: dict) -> str:
    """The candidates beside the one it is about that a lead would ask about."""
    if found["winner_by"] == "agreement":
        return (
            "No price is known of those that are good enough, so the one that agrees most is named."
        )
    rest = [r for r in found["judges"] if not r["is_reference"] and r["judge"] != found["about"]]
    said = [_listed("Good enough too", rest, GOOD_ENOUGH)]
    about = _about(found)
    if about and found["verdict"] == GOOD_ENOUGH:
        ours = about["cost_per_1000"]
        cheaper = [r for r in rest if ours is None or (r["cost_per_1000"] or 0) < ours]
        said.append(_listed("Cheaper, and cannot be told yet", cheaper, CANNOT_TELL))
    return " ".join(filter(None, said))


def _listed(head: str, rows: list[dict], verdict: str) -> str:
    names = [f"{r['judge']} ({_price_of(r)})" for r in rows if r["verdict"] == verdict]
    return f"{head}: {', '.join(names)}." if names else ""


def _price_of(row: dict) -> str:
    cost = row["cost_per_1000"]
    return "price unknown" if cost is None else dollars(cost)


def _points(value: float) -> str:
    rounded = f"{100 * value:+.1f}"
    return "0.0" if rounded in ("+0.0", "-0.0") else rounded
