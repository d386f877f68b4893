"""The openai client behind a semaphore, as its users write it; nothing is stored.

`judge_run.py` runs it as a process of its own, which imports nothing of Concord.
"""

import argparse
import asyncio
import json
import resource
import time
from pathlib import Path

import openai


def main() -> None:
    """Have the requests of a file answered; print the seconds and the peak in MB."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--bodies", type=Path, required=True)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--aiohttp", action="store_true", help="with its aiohttp transport")
    asyncio.run(_ask(parser.parse_args()))


async def _ask(given: argparse.Namespace) -> None:
    more = {"http_client": openai.DefaultAioHttpClient()} if given.aiohttp else {}
    requests = [json.loads(line) for line in given.bodies.read_text(encoding="utf-8").splitlines()]
    gate = asyncio.Semaphore(given.in_flight)
    async with openai.AsyncOpenAI(base_url=given.url, api_key="none", **more) as asked:

        async def one(body: dict) -> str:
            async with gate:
                reply = await asked.chat.completions.create(**body)
                return reply.choices[0].message.content

        begun = time.monotonic()
        replies = await asyncio.gather(*(one(body) for body in requests))
        seconds = time.monotonic() - begun
    assert all(json.loads(reply) for reply in replies)
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


if __name__ == "__main__":
    main()
