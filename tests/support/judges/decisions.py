"""Judges that ask a decision model, and a reply to one."""

from concord.judges.definition.model import Judge, parse

NAMES = ["correctness", "tone"]


def decision_judge(
    dialect: str = "openai",
    url: str = "http://127.0.0.1:9/v1",
    more: str = "",
    name: str = "decides",
    endpoint: str = "",
) -> Judge:
    """A free judge in one of the wire formats."""
    text = (
        f'name = "{name}"\nkind = "decision"\ndialect = "{dialect}"\nmodel = "m"\n'
        f'rubric = "doc-qa-0-3"\nprice = 0\n{more}\n[endpoint]\nbase_url = "{url}"\n{endpoint}\n'
    )
    return parse(text, "mine.toml")


def openai_answer(name: str, probabilities: list, scale=(0, 1, 2, 3)) -> dict:
    """An answer in OpenAI's format."""
    levels = [
        {"value": level, "label": str(score), "probability": p}
        for level, (score, p) in enumerate(zip(scale, probabilities, strict=True))
    ]
    found = {"score": 1.0, "confidence": 0.5, "probabilities": levels}
    return {"type": "score", "name": name, **found}


def systemone_answer(probabilities: list) -> dict:
    """An answer of System One."""
    shares = {str(level): p for level, p in enumerate(probabilities)}
    legend = {key: "meaning" for key in shares}
    return {
        "type": "score",
        "score": 1.0,
        "confidence": 0.5,
        "legend": legend,
        "probabilities": shares,
    }
