"""What tests of metric runs share: a judge at a local server, its run, and what came of it.

The local server as a judge for metrics: it fills the form it is sent, and embeds.

What it says follows from a hash of the request, so that the same request always gets the same.
"""

import hashlib
import json
from collections import Counter
from typing import Any

from aiohttp import web

from concord.judges.definition.model import parse
from concord.judges.run import metric as jobs
from concord.judges.run import session as engine
from concord.judges.transport.client import Client
from concord.metrics.selection import choice
from concord.store import graders, metric_values
from tests.support.endpoint import Behaviour, Endpoint, draw

LENGTH = 8  # of a vector


class MetricEndpoint(Endpoint):
    """A server that answers every ask of a metric by its JSON schema.

    `embedded` are the texts of every embedding request, `keys` the keys they came with.
    `vector` makes the vector of a text; by default from its hash.
    """

    def __init__(self, vector=None, **behaviour: Any):
        super().__init__(Behaviour(**{"write": filled, **behaviour}))
        self.embedded: list[list[str]] = []
        self.keys: list[str] = []
        self._vector = vector or by_hash

    def _routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/embeddings", self._embed)
        super()._routes(router)

    async def _embed(self, request: web.Request) -> web.Response:
        texts = (await request.json())["input"]
        self.embedded.append(texts)
        self.keys.append(request.headers.get("Authorization", ""))
        data = [{"index": n, "embedding": self._vector(text)} for n, text in enumerate(texts)]
        tokens = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return web.json_response({"data": data[::-1], "model": "e-2026", "usage": usage})


def by_hash(text: str) -> list[float]:
    """A vector that is the same for the same text."""
    return [draw(f"{place} {text}") - 0.5 for place in range(LENGTH)]


def filled(body: dict[str, Any]) -> str:
    """A reply of the form that a request asks for."""
    if "tools" in body:
        schema = body["tools"][0]["function"]["parameters"]
    else:
        schema = body["response_format"]["json_schema"]["schema"]
    seed = hashlib.sha256(body["messages"][-1]["content"].encode()).hexdigest()
    return json.dumps(_value(schema, seed), ensure_ascii=False)


def _value(schema: dict[str, Any], seed: str) -> Any:
    if "enum" in schema:
        return schema["enum"][int(draw(seed) * len(schema["enum"]))]
    kind = schema["type"]
    if kind == "object":
        return {name: _value(one, f"{seed} {name}") for name, one in schema["properties"].items()}
    if kind == "array":
        return _list(schema["items"], seed)
    return {"string": f"Said {seed[:4]}.", "boolean": draw(seed) < 0.5, "integer": 1}[kind]


def _list(items: dict[str, Any], seed: str) -> list[Any]:
    """One entry for every id that is asked about, else two."""
    ids = items.get("properties", {}).get("id", {}).get("enum")
    if ids:
        return [{**_value(items, f"{seed} {one}"), "id": one} for one in ids]
    return [_value(items, f"{number}{seed}") for number in range(2)]


CLAIMS = "faithfulness"
FREE = "price = 0\n"
REFERENCE = ("context_recall", "factual_correctness")
REPLAYED = ("faithfulness", "response_relevancy", "noise_sensitivity_relevant")


def judge(server, *metrics, embeds=False, more=""):
    """A judge for metrics on a local server."""
    text = 'name = "mine"\nkind = "metric"\nmodel = "m"\n'
    text += f"metrics = {json.dumps(metrics)}\n{FREE}{more}\n"
    if embeds:
        text += f'[embedding]\nmodel = "e"\n{FREE}base_url = "{server.url}"\n'
    return parse(f'{text}[endpoint]\nbase_url = "{server.url}"\n', "mine.toml")


def prepared(store, sheet, asked, **options):
    return jobs.prepare(store, asked, choice(asked), sheet, **options)


def ran(store, sheet, asked, budget=None, **options):
    """The run of a judge over a sheet, without patience for a server that fails."""
    job = prepared(store, sheet, asked, **options)
    return run_metrics(store, job, lambda of: Client(of, max_retries=0), budget, concurrency=4)


def numbers(store, sheet):
    return metric_values.of_sheet(store, sheet.id)


def statuses(store, sheet):
    return Counter(row["status"] for row in numbers(store, sheet))


def replies(store):
    return store.rows("select * from replies order by id")


def run_metrics(store, job, connect, budget=None, **options):
    """Compute what metrics a job has left."""
    return engine.run(store, job, connect, budget, **options)


def mine(store):
    """The id of the judge."""
    return graders.find(store, "metric", "mine").id
