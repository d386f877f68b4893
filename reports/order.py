"""Order: what the ranking found, in words, and how sure it is.

Made of `reports.ranking.report`. An order is sure where a grader keeps it in 95 percent of the
resamples; what is not sure is called so, also where people and judge happen to agree.
"""

from itertools import pairwise

from data.counted import counted
from judges.baseline_run import BASELINE
from reports.ranking import CERTAIN, PEOPLE
from reports.simulated import named, people_sentence
from reports.text import UNDEFINED, percent

SPELT_OUT = 4
BOTH_SURE = "sure for both"
SURE = "sure"
NOT_SURE = "cannot tell yet"
SURE_FOR_PEOPLE = "sure for people only"
SURE_FOR_JUDGE = "sure for the judge only"
SWAP_SURE = "swap, sure for both"
SWAP_NOT_SURE = "swap, but cannot tell yet"
NOT_DRAWN = "not drawn again"
_EQUAL = 1e-9


def best(orders: list[dict]) -> dict | None:
    """The order with the fewest swaps, the first on a tie; the baseline only where it is alone."""
    real = [order for order in orders if not is_floor(order)]
    return min(real or orders, key=lambda order: len(order["swaps"]), default=None)


def is_floor(order: dict) -> bool:
    """Whether the judge is the baseline, which every judge should beat."""
    return order["judge"] == BASELINE


def comparable(order: dict) -> bool:
    """Whether people and the judge share two answering models or more."""
    return len(shared_models(order)) > 1


def shared_models(order: dict) -> list[dict]:
    """The answering models that people and the judge both have a mean of."""
    sides = (PEOPLE, "judge")
    return [m for m in order["models"] if all(m[side]["value"] is not None for side in sides)]


def judge_name(order: dict) -> str:
    """The judge as sentences name it: marked where it is simulated or only the floor."""
    if is_floor(order):
        return f"{order['judge']} (the floor)"
    return named(order["judge"], order["simulated"])


def title(order: dict) -> str:
    """Whether people and a judge put the answering models in the same order, in one sentence."""
    judge, shared = judge_name(order), shared_models(order)
    if not order["n"]:
        return f"{judge} and people have no composite for the same answer, so no order to compare"
    if not comparable(order):
        return f"{judge} and people share answers of one answering model only: nothing to rank"
    if order["swaps"]:
        return _swap_title(order, judge, len(shared))
    if chain(order, PEOPLE) != chain(order, "judge"):
        return f"{judge} puts no two answering models the other way round than people"
    many = f"{len(shared)} answering models in the same order, "
    same = f"{many if len(shared) > SPELT_OUT else ''}{chain(order, PEOPLE)}"
    return f"People and {judge} put {same}{_doubt(order, judge)}"


def detail(found: dict, order: dict) -> str:
    """What must stand beside the title: how many answers, who is simulated, what is left out."""
    said = [_extent(order), _unshared(order), _no_shares(order), simulated_people(found)]
    return " ".join(part for part in said if part)


def by_people(found: dict) -> str:
    """The order by people alone, in one sentence; '' unless they have composites of two models."""
    rows = [row for row in found["models"] if row["kind"] == "person" and row["value"] is not None]
    values = [(row["answer_model"], row["value"]) for row in rows]
    return f"People put {_chain(values)}" if len(values) > 1 else ""


def simulated_people(found: dict) -> str:
    """A sentence where people are simulated, else ''."""
    people = [person["simulated"] for person in found["people"]]
    return people_sentence(sum(people), len(people))


def chain(order: dict, side: str) -> str:
    """The shared models as one side orders them: `atlas above birch level with cobalt`.

    '' where there is no shared model.
    """
    return _chain([(model["answer_model"], model[side]["value"]) for model in shared_models(order)])


def pairs(order: dict) -> list[dict]:
    """How sure it is which of two answering models is above the other, pairs that swap first.

    Of the pairs that do not swap, those next to each other in either order.

    Returns:
        `above`, `below`, the two models as people order them; `people` and `judge`, the share of
        resamples in which that is so (None where it is unknown); `reading`, the same in words.
    """
    found, swapped = {}, set()
    for swap in order["swaps"]:
        swapped |= {(swap["higher"], swap["lower"]), (swap["lower"], swap["higher"])}
        shares = {PEOPLE: swap["people_share"], "judge": swap["judge_share"]}
        found[swap["higher"], swap["lower"]] = shares | {"swap": True}
    for side in (PEOPLE, "judge"):
        for pair in order["neighbours"][side]:
            key = pair["above"], pair["below"]
            if key not in swapped:
                shares = found.setdefault(key, {PEOPLE: None, "judge": None, "swap": False})
                shares[side] = pair["share"]
    return [
        {"above": above, "below": below, **shares, "reading": _reading(shares)}
        for (above, below), shares in found.items()
    ]


def is_sure(pair: dict) -> bool:
    """Whether a row of `pairs` is no swap, and sure for all who put the two next to each other."""
    return pair["reading"] in (BOTH_SURE, SURE)


def pair_sentence(pair: dict, judge: str) -> str:
    """A row of `pairs` as a sentence."""
    what = f"People put {pair['above']} above {pair['below']}"
    if pair["swap"]:
        other = None if pair["judge"] is None else 1 - pair["judge"]
        return f"{what}{_in(pair[PEOPLE])}; {judge} puts {pair['below']} above{_in(other)}."
    if pair[PEOPLE] is None and pair["judge"] is not None:
        return f"{judge} puts {pair['above']} above {pair['below']}{_in(pair['judge'])}."
    if pair["judge"] is None:
        return f"{what}{_in(pair[PEOPLE])}."
    return f"{what}{_in(pair[PEOPLE])}, {judge} in {share(pair['judge'])}."


def judge_order(order: dict) -> str:
    """The judge's order of the shared models, for a cell; `—` where there are no two to order."""
    return chain(order, "judge") if comparable(order) else UNDEFINED


def swaps_in_words(order: dict) -> str:
    """The pairs that swap, for a cell of a table; `—` where there are no two models to compare."""
    if not comparable(order):
        return UNDEFINED
    said = [
        f"{swap['lower']} above {swap['higher']}{'' if swap['certain'] else ' (not sure)'}"
        for swap in order["swaps"]
    ]
    return "; ".join(said) or "none"


def share(value: float | None) -> str:
    """A share of resamples; they are finitely many, so one of 1 is written `>99%`."""
    if value is None:
        return UNDEFINED
    return ">99%" if value == 1 else "<1%" if value == 0 else f"{percent(value)}%"


def _chain(values: list[tuple[str, float]]) -> str:
    values = sorted(values, key=lambda pair: -pair[1])
    if not values:
        return ""
    said = values[0][0]
    for (_, last), (model, value) in pairwise(values):
        said += f" {'level with' if last - value <= _EQUAL else 'above'} {model}"
    if len(values) <= SPELT_OUT:
        return said
    return f"{values[0][0]} first and {values[-1][0]} last"


def _swap_title(order: dict, judge: str, models: int) -> str:
    count, first = len(order["swaps"]), order["swaps"][0]
    sure = sum(swap["certain"] for swap in order["swaps"])
    if count > 1:
        some = f"{count} of {models * (models - 1) // 2} pairs of answering models"
        said = f"{judge} puts {some} the other way round than people"
        if not sure:
            return f"Cannot tell yet: {said}, but not beyond the error"
        return said if sure == count else f"{said}, {sure} of them beyond the error"
    high, low = first["higher"], first["lower"]
    said = f"put {high} above {low}, {judge} puts {low} above {high}"
    return f"People {said}" if sure else f"Cannot tell yet: people {said}, within the error"


def _doubt(order: dict, judge: str) -> str:
    """What the title adds where an order that both share is not sure."""
    if order["why_no_shares"]:
        return ", but cannot tell yet how sure that is"
    weak = [pair for pair in pairs(order) if pair["reading"] != BOTH_SURE]
    if not weak:
        return ""
    if len(weak) > 1:
        return f", but {len(weak)} of these steps are not sure yet"
    who = {SURE_FOR_PEOPLE: f"{judge} is", SURE_FOR_JUDGE: "people are"}
    doubts = who.get(weak[0]["reading"])
    doubts = f"{doubts} not yet sure" if doubts else "neither is sure yet"
    return f", but {doubts} of {weak[0]['above']} above {weak[0]['below']}"


def _reading(shares: dict) -> str:
    """What the two shares of a pair mean."""
    known = [shares[side] for side in (PEOPLE, "judge") if shares[side] is not None]
    if not known:
        return f"swap, {NOT_DRAWN}" if shares["swap"] else NOT_DRAWN
    own = [shares[PEOPLE], shares["judge"]]
    if shares["swap"]:
        sure = None not in own and own[0] >= CERTAIN and own[1] <= 1 - CERTAIN
        return SWAP_SURE if sure else SWAP_NOT_SURE
    if None in own:
        return SURE if known[0] >= CERTAIN else NOT_SURE
    sure = [bool(value >= CERTAIN) for value in own]
    words = {(True, True): BOTH_SURE, (True, False): SURE_FOR_PEOPLE, (False, True): SURE_FOR_JUDGE}
    return words.get(tuple(sure), NOT_SURE)


def _in(value: float | None) -> str:
    return "" if value is None else f" in {share(value)} of resamples"


def _extent(order: dict) -> str:
    if not order["n"]:
        return ""
    which = "" if order["same_items"] else " that both gave a composite to"
    answers, questions = counted(order["n"], "answer"), counted(order["questions"], "question")
    return f"On {answers} to {questions}{which}."


def _unshared(order: dict) -> str:
    """Models that one of the two has no composite of."""
    shared = shared_models(order)
    lost = [model["answer_model"] for model in order["models"] if model not in shared]
    if not lost or not order["n"]:
        return ""
    return f"Not compared, since one of the two has no composite of it: {', '.join(lost)}."


def _no_shares(order: dict) -> str:
    if not order["why_no_shares"] or not order["n"]:
        return ""
    return f"How sure the order is remains unknown: {order['why_no_shares']}."
