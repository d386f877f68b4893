"""A server of decisions that misbehaves on demand, in OpenAI's format and in System One.

Its replies are built from the response types of `openai`, its requests and replies of System One
are checked against the schema of `typesafe-sdk`. It answers whatever it is asked by a hash of the
texts, so a request always gets the same probabilities. A process of its own:
`python -m tests.support.decision_endpoint --latency 0.02`.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web
from openai.types import DecisionCreateParams
from openai.types.decision import Decision
from pydantic import TypeAdapter, ValidationError
from typesafe_sdk._schemas.models import SystemOneRequest, SystemOneResponse

from tests.support.endpoint import Behaviour, Endpoint, Seen, error, main
from tests.support.made_grades import draw

_OPENAI = TypeAdapter(DecisionCreateParams)
_SCORE_KEYS = {"type", "name", "instructions", "levels"}

# Changes a reply before it is sent, from the reply and the request that it answers.
Spoil = Callable[[dict[str, Any], dict[str, Any]], Any]


class DecisionEndpoint(Endpoint):
    """A running server of decisions; `url` ends in /v1.

    `refuses` are names of questions that the model refuses. `spoil` changes each reply or returns
    another. `label_mass` is reported as vLLM does. `max_bytes` is the longest request, as Ollama
    bounds it, and `answers` (status, body) is what every request is answered.
    """

    def __init__(self, behaviour: Behaviour | None = None, port: int = 0, **more: Any):
        self.refuses: set[str] = set(more.pop("refuses", ()))
        self.spoil: Spoil | None = more.pop("spoil", None)
        self.label_mass: float | None = more.pop("label_mass", None)
        self.max_bytes: int = more.pop("max_bytes", 0)
        self.answers: tuple[int, Any] | None = more.pop("answers", None)
        super().__init__(behaviour, port, **more)

    def _refusal(self, request: web.Request, seen: Seen) -> web.Response | None:
        wanted, body = self.behaviour, seen.body
        sent_key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if wanted.key and wanted.key != sent_key:
            return error(401, f"Incorrect API key provided: {sent_key}", code="invalid_api_key")
        if not request.path.endswith(("/v1/decisions", "/v1/systemone")):
            return web.json_response({"detail": "Not Found"}, status=404)
        if self.answers is not None:
            return web.json_response(self.answers[1], status=self.answers[0])
        if self.max_bytes and request.content_length > self.max_bytes:
            return error(413, "http: request body too large")
        if wanted.models and body.get("model") not in wanted.models:
            return error(404, f"The model `{body['model']}` does not exist", "model_not_found")
        if request.path.endswith("/decisions") and "input" in body:
            return _refused_by_openai(body)
        try:
            SystemOneRequest.model_validate(body)
        except ValidationError as invalid:
            faults = json.loads(invalid.json(include_url=False))
            told = [fault | {"loc": ["body", *fault["loc"]]} for fault in faults]
            return web.json_response({"detail": told}, status=422)
        return None

    def completion(self, body: dict[str, Any], finish: str = "", cut: bool = False) -> Any:
        """A reply with an answer to every question; half of them where it is `cut`."""
        made = self._openai(body) if "input" in body else self._systemone(body)
        if cut:
            answers = list(made["answers"])[: len(made["answers"]) // 2]
            listed = isinstance(made["answers"], list)
            made["answers"] = answers if listed else {n: made["answers"][n] for n in answers}
        return (self.spoil and self.spoil(made, body)) or made

    def _openai(self, body: dict[str, Any]) -> dict[str, Any]:
        text = body["input"]
        answers = [self._openai_answer(one, text) for one in body["questions"]]
        sent = len(json.dumps(body)) // 4
        made = Decision.model_validate(
            {
                "model": f"{body['model']}-2026",
                "answers": answers,
                "usage": {
                    "input_tokens": sent,
                    "input_tokens_details": {"cached_tokens": sent // 4, "cache_write_tokens": 0},
                    "output_tokens": len(answers),
                    "output_tokens_details": {"reasoning_tokens": 0},
                    "total_tokens": sent + len(answers),
                },
            }
        )
        return made.model_dump(mode="json")

    def _openai_answer(self, question: Mapping[str, Any], text: str) -> dict[str, Any]:
        if question["name"] in self.refuses:
            return {"type": "refusal", "name": question["name"]}
        levels = question["levels"]
        found = shares(question["name"], text, len(levels))
        return {
            "type": "score",
            "name": question["name"],
            "score": sum(level * p for level, p in enumerate(found)),
            "confidence": max(found),
            "probabilities": [
                {"value": level, "label": levels[level]["label"], "probability": p}
                for level, p in enumerate(found)
            ],
        }

    def _systemone(self, body: dict[str, Any]) -> dict[str, Any]:
        text = json.dumps(body["state"])
        answers = {
            name: _systemone_answer(name, question["criteria"], text)
            for name, question in body["questions"].items()
        }
        usage = {"input_tokens": len(json.dumps(body)) // 4, "output_tokens": len(answers)}
        made = SystemOneResponse.model_validate(
            {"model": f"{body['model']}-2026", "answers": answers, "usage": usage}
        ).model_dump(mode="json")
        if self.label_mass is not None:
            each = {"label_mass": self.label_mass, "argmax_is_label": True}
            made["diagnostics"] = dict.fromkeys(answers, each)
        return made


def shares(name: str, text: str, levels: int) -> list[float]:
    """Probabilities of the levels by a hash, rounded as servers round them."""
    drawn = [draw(f"{name} {level} {text}") ** 3 for level in range(levels)]
    return [round(one / sum(drawn), 4) for one in drawn]


def _systemone_answer(name: str, criteria: list[str], text: str) -> dict[str, Any]:
    found = shares(name, text, len(criteria))
    return {
        "type": "score",
        "score": sum(level * p for level, p in enumerate(found)),
        "confidence": max(found),
        "legend": {str(level): told for level, told in enumerate(criteria)},
        "probabilities": {str(level): p for level, p in enumerate(found)},
    }


def _refused_by_openai(body: dict[str, Any]) -> web.Response | None:
    strange = sorted(body.keys() - {"model", "input", "questions"})
    if strange:
        return error(400, f"Unknown parameter: '{strange[0]}'.", "unknown_parameter", strange[0])
    try:
        _OPENAI.validate_python(body)
        for one in body["questions"]:
            assert one.keys() == _SCORE_KEYS and len(one["levels"]) > 1
    except (ValidationError, AssertionError, KeyError):
        return error(400, "Invalid questions", "invalid_request_error", "questions")
    return None


if __name__ == "__main__":
    main(DecisionEndpoint)
