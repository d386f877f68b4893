"""Order: what the ranking found, in words, and how sure it is.

Made of `ranking.ranking.report`. An order is sure where a grader keeps it in 95 percent of the
resamples; what is not sure is called so, also where people and judge happen to agree.
"""

from itertools import pairwise

from concord.language.plurals import counted
from concord.messages import Said, joined, said
from concord.reports.panel.simulated import named, people_sentence
from concord.reports.panel.terminal_tables import UNDEFINED, percent
from concord.reports.ranking.ranking import CERTAIN, PEOPLE
from concord.store.graders import BASELINE

SPELT_OUT = 4
BOTH_SURE = said("sure for both")
SURE = said("sure")
NOT_SURE = said("cannot tell yet")
SURE_FOR_PEOPLE = said("sure for people only")
SURE_FOR_JUDGE = said("sure for the judge only")
SWAP_SURE = said("swap, sure for both")
SWAP_NOT_SURE = said("swap, but cannot tell yet")
NOT_DRAWN = said("not drawn again")
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
        return said("{judge} (the floor)", judge=order["judge"])
    return named(order["judge"], order["simulated"])


def title(order: dict) -> str:
    """Whether people and a judge put the answering models in the same order, in one sentence."""
    judge, shared = judge_name(order), shared_models(order)
    if not order["n"]:
        return said(
            "{judge} and people have no composite for the same answer, so no order to compare",
            judge=judge,
        )
    if not comparable(order):
        return said(
            "{judge} and people share answers of one answering model only: nothing to rank",
            judge=judge,
        )
    if order["swaps"]:
        return _swap_title(order, judge, len(shared))
    if chain(order, PEOPLE) != chain(order, "judge"):
        return said(
            "{judge} puts no two answering models the other way round than people", judge=judge
        )
    same = chain(order, PEOPLE)
    if len(shared) > SPELT_OUT:
        many = {"n": len(shared), "chain": same}
        same = said("{n} answering models in the same order, {chain}", **many)
    return _doubted(said("People and {judge} put {chain}", judge=judge, chain=same), order, judge)


def detail(found: dict, order: dict) -> str:
    """What must stand beside the title: how many answers, who is simulated, what is left out."""
    parts = [_extent(order), _unshared(order), _no_shares(order), simulated_people(found)]
    return joined(" ", parts)


def by_people(found: dict) -> str:
    """The order by people alone, in one sentence; '' unless they have composites of two models."""
    rows = [row for row in found["models"] if row["kind"] == "person" and row["value"] is not None]
    values = [(row["answer_model"], row["value"]) for row in rows]
    return said("People put {chain}", chain=_chain(values)) if len(values) > 1 else ""


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
    models = {"above": pair["above"], "below": pair["below"]}
    people = _in(said("People put {above} above {below}", **models), pair[PEOPLE])
    if pair["swap"]:
        other = None if pair["judge"] is None else 1 - pair["judge"]
        turned = _in(said("{judge} puts {below} above", judge=judge, below=pair["below"]), other)
        return said("{people}; {turned}.", people=people, turned=turned)
    if pair[PEOPLE] is None and pair["judge"] is not None:
        own = said("{judge} puts {above} above {below}", judge=judge, **models)
        return said("{sentence}.", sentence=_in(own, pair["judge"]))
    if pair["judge"] is None:
        return said("{sentence}.", sentence=people)
    of = {"people": people, "judge": judge, "share": share(pair["judge"])}
    return said("{people}, {judge} in {share}.", **of)


def judge_order(order: dict) -> str:
    """The judge's order of the shared models, for a cell; `—` where there are no two to order."""
    return chain(order, "judge") if comparable(order) else UNDEFINED


def swaps_in_words(order: dict) -> str:
    """The pairs that swap, for a cell of a table; `—` where there are no two models to compare."""
    if not comparable(order):
        return UNDEFINED
    told = [
        said(
            "{lower} above {higher}" if swap["certain"] else "{lower} above {higher} (not sure)",
            lower=swap["lower"],
            higher=swap["higher"],
        )
        for swap in order["swaps"]
    ]
    return joined("; ", told) or said("none")


def share(value: float | None) -> str:
    """A share of resamples; they are finitely many, so one of 1 is written `>99%`."""
    if value is None:
        return UNDEFINED
    return ">99%" if value == 1 else "<1%" if value == 0 else f"{percent(value)}%"


def _chain(values: list[tuple[str, float]]) -> str:
    values = sorted(values, key=lambda pair: -pair[1])
    if not values:
        return ""
    if len(values) > SPELT_OUT:
        ends = {"first": values[0][0], "last": values[-1][0]}
        return said("{first} first and {last} last", **ends)
    found = values[0][0]
    for (_, last), (model, value) in pairwise(values):
        level = last - value <= _EQUAL
        found = said(
            "{models} level with {model}" if level else "{models} above {model}",
            models=found,
            model=model,
        )
    return found


def _swap_title(order: dict, judge: str, models: int) -> str:
    count, first = len(order["swaps"]), order["swaps"][0]
    sure = sum(swap["certain"] for swap in order["swaps"])
    if count > 1:
        turned = said(
            "{judge} puts {count} of {pairs} pairs of answering models the other way round than "
            "people",
            judge=judge,
            count=count,
            pairs=models * (models - 1) // 2,
        )
        if not sure:
            return said("Cannot tell yet: {turned}, but not beyond the error", turned=turned)
        if sure == count:
            return turned
        return said("{turned}, {n} of them beyond the error", turned=turned, n=sure)
    return said(
        "People put {high} above {low}, {judge} puts {low} above {high}"
        if sure
        else "Cannot tell yet: people put {high} above {low}, {judge} puts {low} above {high}, "
        "within the error",
        high=first["higher"],
        low=first["lower"],
        judge=judge,
    )


def _doubted(title: Said, order: dict, judge: str) -> Said:
    """The title of an order that both share, and where that is not sure."""
    if order["why_no_shares"]:
        return said("{title}, but cannot tell yet how sure that is", title=title)
    weak = [pair for pair in pairs(order) if pair["reading"] != BOTH_SURE]
    if not weak:
        return title
    if len(weak) > 1:
        return said("{title}, but {n} of these steps are not sure yet", title=title, n=len(weak))
    step = {"title": title, "above": weak[0]["above"], "below": weak[0]["below"]}
    if weak[0]["reading"] == SURE_FOR_PEOPLE:
        return said(
            "{title}, but {judge} is not yet sure of {above} above {below}", judge=judge, **step
        )
    if weak[0]["reading"] == SURE_FOR_JUDGE:
        return said("{title}, but people are not yet sure of {above} above {below}", **step)
    return said("{title}, but neither is sure yet of {above} above {below}", **step)


def _reading(shares: dict) -> str:
    """What the two shares of a pair mean."""
    known = [shares[side] for side in (PEOPLE, "judge") if shares[side] is not None]
    if not known:
        return said("swap, not drawn again") if shares["swap"] else NOT_DRAWN
    own = [shares[PEOPLE], shares["judge"]]
    if shares["swap"]:
        sure = None not in own and own[0] >= CERTAIN and own[1] <= 1 - CERTAIN
        return SWAP_SURE if sure else SWAP_NOT_SURE
    if None in own:
        return SURE if known[0] >= CERTAIN else NOT_SURE
    sure = [bool(value >= CERTAIN) for value in own]
    words = {(True, True): BOTH_SURE, (True, False): SURE_FOR_PEOPLE, (False, True): SURE_FOR_JUDGE}
    return words.get(tuple(sure), NOT_SURE)


def _in(sentence: Said, value: float | None) -> Said:
    """A sentence, and in which share of resamples it is so, where that is known."""
    if value is None:
        return sentence
    return said("{sentence} in {share} of resamples", sentence=sentence, share=share(value))


def _extent(order: dict) -> str:
    if not order["n"]:
        return ""
    return said(
        "On {answers} to {questions}."
        if order["same_items"]
        else "On {answers} to {questions} that both gave a composite to.",
        answers=counted(order["n"], "answer"),
        questions=counted(order["questions"], "question"),
    )


def _unshared(order: dict) -> str:
    """Models that one of the two has no composite of."""
    shared = shared_models(order)
    lost = [model["answer_model"] for model in order["models"] if model not in shared]
    if not lost or not order["n"]:
        return ""
    return said(
        "Not compared, since one of the two has no composite of it: {models}.",
        models=joined(", ", lost),
    )


def _no_shares(order: dict) -> str:
    if not order["why_no_shares"] or not order["n"]:
        return ""
    return said("How sure the order is remains unknown: {why}.", why=order["why_no_shares"])
