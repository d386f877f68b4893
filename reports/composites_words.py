"""Composites in words: the finding of each, and the tables."""

from collections.abc import Sequence
from typing import Any

from data.counted import counted
from reports import encoded_composite
from reports.measured import edited_sentence, short
from reports.regression_gate import BETTER, SAME, UNSURE, WORSE
from reports.text import UNDEFINED, number, plain_share, table

SIMULATED = "The people here are simulated."
OUT_OF_FOLD = "out of fold: by weights fitted to other questions"


def text(found: dict[str, Any]) -> str:
    """The whole report for a terminal."""
    parts = [
        SIMULATED if found["simulated"] else "",
        *("By the chosen weights", weighted(found["weighted"]), mapping(found["weighted"])),
        _models(found["weighted"]["models"]),
        *("By weights fitted to people", fitted(found["fitted"])),
        _fitted_weights(found["fitted"]["weights"]),
        *("By a cross-encoder", encoded(found["encoded"])),
        limits_of(found["encoded"]),
        _sensitivity(found["encoded"]["sensitivity"]),
        _models(found["encoded"]["models"]),
    ]
    return "\n\n".join(part for part in parts if part)


def weighted(found: dict[str, Any]) -> str:
    """What the composite by chosen weights says, with the judges where there are several."""
    judges = short(one["judge"] for one in found["weights"])
    by = {label: f" by {name}" if len(judges) > 1 else "" for label, name in judges.items()}
    weights = ", ".join(
        f"{one['title']}{by[one['judge']]} {one['weight']:.0%}" for one in found["weights"]
    )
    mean = found["mean"]
    said = f"{weights}: mean {number(mean)} on {counted(found['n'], 'answer')}"
    said += f" ({mean['why_none']})." if mean["low"] is None and mean["why_none"] else "."
    if found["left_out"]:
        out = "; ".join(f"{why} ({n:,})" for why, n in found["left_out"].items())
        said += f" Left out: {out}."
    if found["absent"]:
        said += f" Not in it, as it has no number here: {'; '.join(found['absent'])}."
    return f"{said} {_rank('It', found['people'])}"


def mapping(found: dict[str, Any]) -> str:
    """How each measure became a number from 0 to 1, in one sentence for all."""
    odd = [_mapped(one) for one in found["weights"]]
    return " ".join(["Each measure is mapped to 0-1.", *(one for one in odd if one)])


def fitted(found: dict[str, Any]) -> str:
    """What fitted weights say out of fold, or why there are none."""
    if found["why_none"]:
        return f"No weights are fitted: {found['why_none']}."
    said = (
        f"Rank correlation with people's composite {number(found['spearman'])}, and "
        f"{number(found['mae'])} points from it on average, {OUT_OF_FOLD} "
        f"({counted(found['n'], 'answer')}, {counted(found['questions'], 'question')}, "
        f"{found['folds']} folds). The mean of people alone is {number(found['constant_mae'])} "
        "points off."
    )
    ahead = found["ahead"]
    if ahead["low"] is None:
        return said
    told = number(ahead, "+")
    if ahead["low"] <= 0 <= ahead["high"]:
        return (
            f"{said} Whether it ranks better than the chosen weights cannot be told yet ({told})."
        )
    better = "better" if ahead["low"] > 0 else "worse"
    return f"{said} It ranks {better} than the chosen weights ({told})."


def encoded(found: dict[str, Any]) -> str:
    """What the cross-encoder says, or why it says nothing."""
    if found["why_none"]:
        return found["why_none"]
    said = [
        f"{found['judge']} over {found['over']}: mean logit {number(found['mean'])} on "
        f"{counted(found['n'], 'answer')}.",
        _rank("Its score", found["people"]),
        f"The plain answer's: {number(found['plain_people'])}." if found["people"]["n"] else "",
    ]
    return " ".join(part for part in said if part)


def limits_of(found: dict[str, Any]) -> str:
    """What was cut, what is to be warned of, and what the score takes no heed of."""
    if found["why_none"]:
        return ""
    deaf = [response(one) for one in found["sensitivity"] if one["responds"] != "yes"]
    flags = encoded_composite.flag_words(found["flags"])
    return " ".join([encoded_composite.CAVEAT, *flags, *deaf])


def response(one: dict[str, Any]) -> str:
    """Whether the score heeds one measure."""
    moved = f"an answer moves {plain_share(abs(one['ranks']))} of the list"
    if one["responds"] == "yes":
        return f"The score responds to {one['title']}: from worst to best {moved} up."
    if one["responds"] == "no":
        return f"The score does not respond to {one['title']}: from worst to best {moved}."
    return f"The score takes {one['title']} the wrong way: from worst to best {moved} down."


def regression(found: dict[str, Any]) -> str:
    """What the regression gate says."""
    said = {
        WORSE: f"{found['new']} is worse than {found['baseline']}",
        BETTER: f"{found['new']} is better than {found['baseline']}",
        SAME: f"{found['new']} is the same as {found['baseline']} within {found['margin']:g}",
        UNSURE: f"Whether {found['new']} is worse than {found['baseline']} cannot be told",
    }[found["verdict"]]
    why = f" {found['why_none'][0].upper()}{found['why_none'][1:]}." if found["why_none"] else ""
    edited = edited_sentence(found["list_edited"])
    return (
        f"{said}: difference {number(found['difference'], '+')} on "
        f"{counted(found['n'], 'question')} that both answered ({found['only_new']:,} only the new "
        f"run, {found['only_baseline']:,} only the baseline).{why} {edited}"
    ).rstrip()


def model_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per answering model."""
    return [
        {
            "answering model": one["answer_model"],
            "mean": one["value"],
            "low": one["low"],
            "high": one["high"],
            "answers": one["n"],
        }
        for one in rows
    ]


def fitted_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per measure: its fitted weight, and the least and most of the folds."""
    return [
        {
            "measure": one["title"],
            "points from worst to best": one["weight"],
            "least of the folds": one["least"],
            "most": one["most"],
        }
        for one in rows
    ]


def sensitivity_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per measure: what the score does when it goes from worst to best."""
    return [
        {
            "measure": one["title"],
            "logit, worst to best": one["change"],
            "rises on": one["right_way"],
            "moves in the list": one["ranks"],
            "responds": one["responds"],
        }
        for one in rows
    ]


def ranked_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per answer, the best first, with its place by the plain answer."""
    return [
        {
            "place": one["place"],
            "without statements": one["plain_place"],
            "answer": one["called"],
            "answering model": one["answer_model"],
            "logit": one["logit"],
            "of the plain answer": one["plain_logit"],
            "as 0-1 (expit)": one["expit"],
        }
        for one in rows
    ]


def _rank(who: str, people: dict[str, Any]) -> str:
    if people["value"] is None:
        why = people["why_none"]
        return f"{who} is not held against people: {why}."
    return (
        f"{who} and people's composite: rank correlation {number(people)} on "
        f"{counted(people['n'], 'answer')}."
    )


def _mapped(one: dict[str, Any]) -> str:
    low, high = one["from"]
    said = [f"from {low:g}-{high:g}"] if one["from"] != [0, 1] else []
    said += ["less than 0 counts as 0"] if one["range"][0] < low else []
    said += ["turned, as less is better"] if one["turned"] else []
    said += [f"{one['clipped']:,} numbers outside clipped"] if one["clipped"] else []
    return f"{one['title']}: {', '.join(said)}." if said else ""


def _models(rows: Sequence[dict[str, Any]]) -> str:
    return _table(model_rows(rows)) if len(rows) > 1 else ""


def _fitted_weights(rows: Sequence[dict[str, Any]]) -> str:
    return _table(fitted_rows(rows))


def _sensitivity(rows: Sequence[dict[str, Any]]) -> str:
    return _table(sensitivity_rows(rows))


def _table(rows: Sequence[dict[str, Any]]) -> str:
    if not rows:
        return ""
    return table(list(rows[0]), ([_cell(cell) for cell in row.values()] for row in rows))


def _cell(value: object) -> object:
    if value is None:
        return UNDEFINED
    return f"{value:.3f}" if isinstance(value, float) else value
