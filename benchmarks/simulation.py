"""Options of the simulations: how often each draws, and its seed."""

import argparse

from concord.stats.intervals.resampling import SEED


def parser(described: str, seed: int = SEED, **times: int) -> argparse.ArgumentParser:
    """A parser with an option for each number of draws, by its default, and `--seed`."""
    made = argparse.ArgumentParser(description=described)
    for name, default in times.items():
        made.add_argument(f"--{name}", type=int, default=default)
    made.add_argument("--seed", type=int, default=seed)
    return made
