"""The openai client behind a semaphore, as its users write it, or a bare loop of aiohttp.

`judge_run.py` runs it as a process of its own, which imports nothing of Concord and stores nothing.
"""

import argparse
import asyncio
import json
import time
from pathlib import Path


def main() -> None:
    """Have the requests of a file answered; print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("client", choices=("openai", "loop"))
    parser.add_argument("--url", required=True)
    parser.add_argument("--bodies", type=Path, required=True)
    parser.add_argument("--in-flight", type=int, default=64)
    given = parser.parse_args()
    bodies = [json.loads(line) for line in given.bodies.read_text(encoding="utf-8").splitlines()]
    ask = _loop if given.client == "loop" else _openai
    print(json.dumps(asyncio.run(ask(given, bodies))))


async def _openai(given: argparse.Namespace, bodies: list[dict]) -> float:
    import openai

    gate = asyncio.Semaphore(given.in_flight)
    async with openai.AsyncOpenAI(base_url=given.url, api_key="none") as asked:

        async def one(body: dict) -> str:
            async with gate:
                reply = await asked.chat.completions.create(**body)
                return reply.choices[0].message.content

        begun = time.monotonic()
        replies = await asyncio.gather(*map(one, bodies))
        seconds = time.monotonic() - begun
    assert all(json.loads(reply) for reply in replies)
    return seconds


async def _loop(given: argparse.Namespace, bodies: list[dict]) -> float:
    """Post the requests, to a decision model or to a chat model, and store nothing."""
    import aiohttp

    left, replies = iter(bodies), []
    connector = aiohttp.TCPConnector(limit=given.in_flight)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def worker() -> None:
            for body in left:
                route = "chat/completions" if "messages" in body else "decisions"
                async with session.post(f"{given.url}/{route}", json=body) as reply:
                    replies.append(await reply.json())

        begun = time.monotonic()
        await asyncio.gather(*(worker() for _ in range(given.in_flight)))
        seconds = time.monotonic() - begun
    assert len(replies) == len(bodies)
    assert all(reply.get("answers") or reply["choices"] for reply in replies)
    return seconds


if __name__ == "__main__":
    main()
