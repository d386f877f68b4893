"""The cascade in words: the guarantee, the saving, and what is missing for a certificate."""

from data.counted import counted
from reports.cascade import CERTIFIED, NOTHING, PEOPLE, SIMULATED, WITHIN_ONE
from reports.cost import dollars
from reports.simulated import named
from reports.text import percent, share, table

MISSING = (
    "What is missing: no judge was asked about an answer more than once, so none has shown how "
    "sure it is. Ask a cheap one three times, with judge NAME --repeat 3 or on its card under "
    "Judges; the cascade is then replayed over what is stored, at no cost."
)
ONE_CHOICE = (
    "The guarantee is for one choice of judges and limits, made beforehand: trying many until one "
    "passes weakens it."
)


def title(found: dict) -> str:
    """The finding in one sentence."""
    if found["why_none"]:
        return f"Nothing is certified: {found['why_none']}"
    if found["verdict"] == NOTHING:
        return f"Nothing is certified: {_not_enough(found)}"
    certified = "" if found["verdict"] == CERTIFIED else "Simulated, so not certified: "
    believe = f"{certified}believe {_where(found)}"
    return f"{believe[0].upper()}{believe[1:]}; {_rest(found)}"


def guarantee(found: dict) -> str:
    """What holds of the believed answers, and on what it rests; '' where nothing was tried."""
    tried = found["tried"]
    if not tried:
        return ""
    rests = (
        f"on one answer each to {counted(tried['questions'], found['unit'])} that did not set the "
        f"threshold, "
        f"{tried['errors']} {_differ(found, tried['errors'])}, so at most "
        f"{percent(tried['upper'])}% do with {percent(found['certainty'])}% certainty"
    )
    if found["verdict"] == NOTHING:
        return f"Tried: {_where(found)}. There {rests}; the limit is {percent(found['at_most'])}%."
    return (
        f"Of the answers it is believed on, at most {percent(found['at_most'])}% "
        f"{_differ(found, 2)}: {rests}."
    )


def saving(found: dict) -> str:
    """What the cascade saves, in money where prices are known."""
    if found["why_none"] or found["coverage"]["value"] is None:
        return ""
    would = found["verdict"] == NOTHING
    cost, reach = found["cost"], "would never reach" if would else "never reach"
    of = f"of {counted(found['answers'], 'answer')}"
    kept = f"{share(found['coverage'])} {of} {reach} {_to(found)}"
    if found["coverage"]["value"] == 1:
        kept = f"None {of} {'would reach' if would else 'reach'} {_to(found)}"
    kept = f"If it held: {kept[0].lower()}{kept[1:]}" if would else kept
    if cost["saved"] is None:
        return f"{kept}. The saving in money is unknown: {cost['why_none']}."
    fake = " (simulated prices)" if found["simulated"] else ""
    whole = f"instead of {dollars(cost['dear'])} per 1,000 answers{fake}"
    if cost["saved"] <= 0:
        return f"{kept}, but it saves no money: {dollars(cost['cascade'])} {whole}."
    part = percent(cost["saved"] / cost["dear"])
    return f"{kept}: {dollars(cost['cascade'])} {whole}, {part}% less."


def replayed(found: dict) -> str:
    """How the cascade agrees with people beside the dear judge alone; '' without a dear judge."""
    replay = found["replay"]
    if not replay or not replay["n"]:
        return ""
    figures = {name: share(replay[name]["exact"]) for name in ("cascade", "dear", "cheap")}
    return (
        f"Replayed on {counted(replay['n'], 'answer')} that people graded, exact agreement is "
        f"{figures['cascade']} for the cascade, {figures['dear']} for {_to(found)} alone and "
        f"{figures['cheap']} for {_cheap(found)} alone.{_caught(found)}"
    )


def steady(found: dict) -> str:
    """How often the cheap judge repeats itself; '' where it was not asked again."""
    again = found["steadiness"]
    if not again or again["exact"]["value"] is None:
        return ""
    return (
        f"Asked again, {_cheap(found)} gives the same score {share(again['exact'])} of the time "
        f"and one that is off by two or more {share(again['flips'])}."
    )


def limits(found: dict) -> str:
    """How people's own agreement bounds what can be certified; '' where it is unknown or higher."""
    people = found["ceiling"]["value"]
    if people is None or 1 - people <= found["at_most"]:
        return ""
    return (
        f"People themselves differ on {percent(1 - people)}% of these answers, so a limit of "
        f"{percent(found['at_most'])}% can hardly be reached."
    )


def every_sentence(found: dict) -> list[str]:
    """All that must be said, the title first."""
    said = [title(found), guarantee(found), saving(found), replayed(found), steady(found)]
    said += [limits(found)]
    said += [ONE_CHOICE if found["verdict"] in (CERTIFIED, SIMULATED) else ""]
    return [f"{one.rstrip('.')}." for one in said if one]


def level(found: dict, confidence: float) -> str:
    """A level of confidence in words, as `2 of 3 repeats agree`."""
    if found["second"]:
        return "both judges agree" if confidence else "the judges differ"
    return f"{round(confidence * found['asks'])} of {found['asks']} repeats agree"


def text(found: dict) -> str:
    """The report for a terminal."""
    levels = table(
        ("confidence", "answers", "graded by people", "in error"),
        (
            (level(found, row["confidence"]), row["answers"], row["graded"], row["errors"])
            for row in found["levels"]
        ),
    )
    return "\n".join([*every_sentence(found), "", levels])


def _not_enough(found: dict) -> str:
    tried, needed = found["tried"], found["needed"]
    if tried is None:
        return f"people graded too few {found['unit']}s"
    tested = f"{counted(tried['questions'], found['unit'])} that tested it"
    seen = f"it {_differ(found, 1)} on {tried['errors']} of the {tested}"
    if tried["errors"] == 0:
        return f"{seen}, but it takes {needed} without an error"
    more = found["more"]
    many = f"{more:,}" if more else "more than 100,000"
    return f"{seen}; it takes {many} with no more errors, or {needed} without any"


def _where(found: dict) -> str:
    least = (found["threshold"] or found["tried"])["confidence"]
    if least <= min(row["confidence"] for row in found["levels"]):
        return f"{_cheap(found)} on every answer"
    if found["second"]:
        second = named(found["second"], found["second"] in found["simulated"])
        return f"{_cheap(found)} where {second} gives the same score"
    same = round(least * found["asks"])
    many = f"all {same}" if same == found["asks"] else f"at least {same} of {found['asks']}"
    return f"{_cheap(found)} where {many} repeats give the same score"


def _caught(found: dict) -> str:
    """Of the answers people failed, how many cascade and dear judge fail; '' where none is."""
    cascade, dear = (found["replay"][name]["caught"] for name in ("cascade", "dear"))
    if cascade["value"] is None:
        return ""
    return f" Of the answers people failed it catches {share(cascade)}, {_to(found)} {share(dear)}."


def _rest(found: dict) -> str:
    return f"{percent(found['coverage']['value'])}% of the answers never reach {_to(found)}"


def _cheap(found: dict) -> str:
    return named(found["cheap"], found["cheap"] in found["simulated"])


def _to(found: dict) -> str:
    to = found["to"]
    return to if to == PEOPLE else named(to, to in found["simulated"])


def _differ(found: dict, count: int) -> str:
    verb = "differs" if count == 1 else "differ"
    by = " by two or more" if found["agreement"] == WITHIN_ONE else ""
    return f"{verb} from a person's score{by}"
