"""A bare loop of aiohttp that asks a decision model; nothing is stored.

`judge_run.py` runs it as a process of its own, which imports nothing of Concord.
"""

import argparse
import asyncio
import json
import resource
import time
from pathlib import Path

import aiohttp


def main() -> None:
    """Have the requests of a file answered; print the seconds and the peak in MB."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--bodies", type=Path, required=True)
    parser.add_argument("--in-flight", type=int, default=64)
    asyncio.run(_ask(parser.parse_args()))


async def _ask(given: argparse.Namespace) -> None:
    requests = [json.loads(line) for line in given.bodies.read_text(encoding="utf-8").splitlines()]
    left, replies = iter(requests), []
    connector = aiohttp.TCPConnector(limit=given.in_flight)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def worker() -> None:
            for body in left:
                async with session.post(f"{given.url}/decisions", json=body) as reply:
                    replies.append(await reply.json())

        begun = time.monotonic()
        await asyncio.gather(*(worker() for _ in range(given.in_flight)))
        seconds = time.monotonic() - begun
    assert len(replies) == len(requests) and all(reply["answers"] for reply in replies)
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


if __name__ == "__main__":
    main()
