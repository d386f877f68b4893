"""Study of agreement: do judges give the scores that people give?"""

from reports import agreement
from reports.panel import COMPOSITE, Panel
from reports.reference import EACH
from reports.simulated import named, people_sentence
from reports.study import Study, cannot_run, listed
from reports.text import plain_share, share
from reports.variants import Variant
from words.said import joined, said

NAME = "agreement"
QUESTION = said("Do judges give the scores that people give?")
PUBLISHED = said(
    "Databricks (2023, answers about its documentation, 0-3): GPT-4 gave people's exact score on "
    "more than 80% of answers for correctness and readability, and was within one point on more "
    "than 95%; comprehensiveness, the vaguest of the three, was lower."
)
EXACT, WITHIN_ONE = 0.80, 0.95
HEADS = (said("judge"), said("criterion"), said("exact"), "80%", said("within one"), "95%")
HEADS += (said("people exact"), "n")
YES, NO, UNSURE = said("reached"), said("not reached"), said("cannot tell")


def study(chosen: list[Variant], people: Panel, kind: str = EACH) -> Study:
    """Exact and within one of every judge on the people's own scale, against the published bars."""
    mine = [v for v in chosen if v.rubric.name == people.rubric.name]
    labels = {people.labels[v.judge.id]: v for v in mine if not v.floor}
    rows = [
        row
        for row in agreement.rows(people, kind)
        if row["judge"] in labels and row["criterion"] != COMPOSITE and row["n"]
    ]
    if not rows:
        scale = f"{people.rubric.scale[0]}-{people.rubric.scale[-1]}"
        need = (
            said(
                "No judge has graded these answers by {rubric} ({scale}), as people did.",
                rubric=people.rubric.name,
                scale=scale,
            ),
            said("Run one: “judge NAME --rubric {rubric}”.", rubric=people.rubric.name),
        )
        return cannot_run(NAME, QUESTION, PUBLISHED, need)
    best = _best(rows, people.rubric.heaviest().name)
    return Study(
        NAME,
        QUESTION,
        _answer([row for row in rows if row["judge"] == best], labels[best]),
        True,
        _rests_on(rows, people),
        PUBLISHED,
        tuple(_missing(rows, people)),
        HEADS,
        tuple(_line(row) for row in rows),
        tuple(_figures(row) for row in rows),
    )


def reached(estimate: dict, bar: float) -> str:
    """Whether a share reaches a bar beyond its error."""
    if estimate["low"] is None:
        return UNSURE
    if estimate["low"] >= bar:
        return YES
    return NO if estimate["high"] < bar else UNSURE


def _best(rows: list[dict], criterion: str) -> str:
    mine = [row for row in rows if row["criterion"] == criterion] or rows
    return max(mine, key=lambda row: row["exact"]["value"])["judge"]


def _answer(rows: list[dict], variant: Variant) -> str:
    by = {stands: [] for stands in (YES, UNSURE, NO)}
    for row in rows:
        name = row["criterion"].replace("_", " ")
        by[reached(row["exact"], EXACT)].append(f"{name} ({share(row['exact'])})")
    parts = [
        said("at least 80% for {criteria}", criteria=listed(by[YES])) if by[YES] else "",
        said("fewer than 80% for {criteria}", criteria=listed(by[NO])) if by[NO] else "",
        said("cannot tell yet whether 80% for {criteria}", criteria=listed(by[UNSURE]))
        if by[UNSURE]
        else "",
    ]
    return said(
        "How often {judge} gives a person's exact score: {parts}.",
        judge=named(variant.label, variant.judge.simulated),
        parts=joined("; ", parts),
    )


def _line(row: dict) -> tuple[str, ...]:
    return (
        row["judge"],
        row["criterion"].replace("_", " "),
        share(row["exact"]),
        reached(row["exact"], EXACT),
        share(row["within_one"]),
        reached(row["within_one"], WITHIN_ONE),
        plain_share(row["ceiling"]["exact"]["value"]),
        f"{row['n']:,}",
    )


def _figures(row: dict) -> dict:
    kept = ("judge", "fingerprint", "simulated", "criterion", "n", "questions", "left_out")
    return {name: row[name] for name in kept} | {
        "exact": row["exact"],
        "exact_reached": reached(row["exact"], EXACT),
        "within_one": row["within_one"],
        "within_one_reached": reached(row["within_one"], WITHIN_ONE),
        "ceiling_exact": row["ceiling"]["exact"],
    }


def _rests_on(rows: list[dict], people: Panel) -> str:
    judges = len({row["judge"] for row in rows})
    simulated = sum(person.simulated for person in people.people.values())
    four = len(people.rubric.scale) == 4
    parts = [
        said(
            "On rubric {rubric}; limits of each figure by itself, {n} in all.",
            rubric=people.rubric.name,
            n=len(rows),
        ),
        said("The best judge of several looks a little better than it is.") if judges > 1 else "",
        "" if four else said("The bars were set on a scale of four scores."),
        people_sentence(simulated, len(people.people)),
    ]
    return joined(" ", parts)


def _missing(rows: list[dict], people: Panel) -> list[str]:
    found = []
    if all(row["ceiling"]["exact"]["value"] is None for row in rows):
        found.append(
            said(
                "how well people agree with one another. Let a second person grade some of the "
                "same answers: without it nobody knows what a judge could reach."
            )
        )
    if any(row["exact"]["low"] is None for row in rows):
        found.append(said("limits. Grade answers to at least 10 questions, better 50."))
    return found
