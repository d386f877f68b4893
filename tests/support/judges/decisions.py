"""Judges that ask a decision model, and a reply to one."""

import json

from concord.judges.definition.model import Judge, parse
from concord.judges.transport.response import read

TWO_PEAKS = [0.45, 0.0, 0.0, 0.55]  # argmax 3, rounded mean 2, median 3
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


def decided(given=TWO_PEAKS, refused=(), **more):
    """Answer every request with the same probabilities, but for the refused questions."""

    def reply(body, _=0):
        asked = body["questions"]
        if isinstance(asked, dict):
            answers = {name: systemone_answer(given) for name in asked}
        else:
            answers = [
                {"type": "refusal", "name": one["name"]}
                if one["name"] in refused
                else openai_answer(one["name"], given)
                for one in asked
            ]
        usage = {"input_tokens": 100, "output_tokens": 3}
        return read(json.dumps({"answers": answers, "usage": usage, "model": "m", **more}).encode())

    return reply
