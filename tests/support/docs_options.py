"""The options in docs/command-line.md: `python -m tests.support.docs_options` writes them."""

import re
import textwrap
from collections import Counter

import click

from concord.cli import cli
from tests.support.source import ROOT

PAGE = ROOT / "docs" / "command-line.md"
BLOCK = re.compile(r"(<!--:([\w-]+)-->\n).*?(<!--/-->)", re.DOTALL)
SHARED_BY = 3  # An option that so many commands have, in the same words, is explained once.


def blocks() -> dict[str, str]:
    """Return the text of each block by name: that of each command, and `shared`."""
    helps = {verb: _option_helps(verb) for verb in cli.commands}
    verbs = Counter(line for lines in helps.values() for line in lines)
    shared = sorted(line for line in verbs if verbs[line] >= SHARED_BY)
    texts = {"shared": "".join(_wrapped("  ".join(line)) for line in shared)}
    for verb, lines in helps.items():
        arguments = [one.make_metavar(_context(verb)) for one in _parameters(verb, click.Argument)]
        names = [option.split()[0] for option, text in shared if (option, text) in lines]
        also = [name for name in names if name not in ("--sheet", "--json")]
        texts[verb] = _wrapped(" ".join([verb, *arguments])) if arguments else ""
        texts[verb] += "".join(_wrapped("  ".join(line)) for line in lines if line not in shared)
        texts[verb] += _wrapped(f"Also {', '.join(also)}.") if also else ""
    return texts


def _context(verb: str) -> click.Context:
    return click.Context(cli.commands[verb], info_name=verb)


def _parameters(verb: str, kind: type) -> list[click.Parameter]:
    return [one for one in cli.commands[verb].params if isinstance(one, kind)]


def _option_helps(verb: str) -> list[tuple[str, str]]:
    """Return each option with its value, and its help, as `--help` shows them."""
    records = [one.get_help_record(_context(verb)) for one in _parameters(verb, click.Option)]
    return [(option.replace(" RANGE", ""), text) for option, text in filter(None, records)]


def _wrapped(text: str) -> str:
    return (
        textwrap.fill(
            text,
            100,
            initial_indent=" " * 4,
            subsequent_indent=" " * 8,
            break_on_hyphens=False,
            break_long_words=False,
        )
        + "\n"
    )


def page_with_options(page: str) -> str:
    """Return the page with each block between its markers written anew."""
    texts = blocks()
    return BLOCK.sub(lambda block: f"{block[1]}\n{texts[block[2]]}\n{block[3]}", page)


if __name__ == "__main__":
    PAGE.write_text(page_with_options(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
