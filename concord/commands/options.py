"""Options that several commands have: `@options.rubric` above a command adds `--rubric`."""

import functools
import math
from pathlib import Path

import click


class _Share(click.FloatRange):
    """A number from 0 to 1."""

    def convert(self, value, param, ctx):
        """Return the number; NaN is invalid."""
        number = super().convert(value, param, ctx)
        return self.fail("not a share", param, ctx) if math.isnan(number) else number


ONLY = "Only this."
COUNT, SHARE, FILE = click.IntRange(1), _Share(0, 1), click.Path(path_type=Path)


def flag(*declared: str):
    """Return an option without a value: its names, then its help."""
    *names, told = declared
    return click.option(*names, is_flag=True, help=told)


def text(*declared: str, **how):
    """Return an option with a value: its names, what its value is or is called, and its help."""
    *names, value, told = declared
    kind = {"metavar": value} if isinstance(value, str) else {"type": value}
    return click.option(*names, **kind, help=told, show_default=bool(how.get("default")), **how)


def many(*declared: str, **how):
    """Return what `text` does, for an option that may be repeated."""
    *rest, told = declared
    return text(*rest, f"{told.removesuffix('.')}; repeatable.", multiple=True, **how)


rubric = text("--rubric", "R", "A rubric's name or .toml file.")
reference = text("--reference", click.Choice(["each", "consensus"]), "Reference.", default="each")
annotators = many("--annotators", "NAME", "Count only this annotator.")
limit = text("--limit", COUNT, "How many to list.", default=20)
mapping = many("--map", "mapped", "FIELD=COLUMN", "Map a field to a column.")
_join = many("--join", "joins", "FILE_OR_LIST", "Join this file, worksheet or list.")
_on = many("--on", "KEY[=KEY]", "The key of each --join; its name there, if another.")
score = many("--score", "words", "WORD=SCORE", "The score of a word; WORD= is no grade.")
encoding = text("--encoding", str, "Character encoding, if the guess is wrong.")
worksheet = text("--worksheet", str, "Worksheet of an XLSX file; default: the largest.")
partial = flag("--partial", "Import valid rows and skip the others.")
yes = flag("--yes", "Do not ask for confirmation.")
INSTEAD = "Use this instead of the judge file's."
base_url = text("--base-url", str, INSTEAD)
concurrency = text("--concurrency", COUNT, "Maximum number of requests in flight.", default=16)
budget = text("--budget", click.FloatRange(0), "Stop before the cost exceeds this, in USD.")
estimate = flag("--estimate", "only_estimate", "Print requests, tokens and cost, and stop.")
AGAIN = "Repeat requests without a usable reply."
again = flag("--again", "retry_unscored", AGAIN)
model = text("--model", str, INSTEAD)
repeats = text(
    "--repeat", "repeats", COUNT, "Replies per answer, including stored ones.", default=1
)
first_answers = text("--limit", COUNT, "Only the first N answers.")
retry_unscored = flag("--retry-unscored", AGAIN)
criterion = text("--criterion", "C", "The criterion; default: the one of most weight.")
only_criterion = text("--criterion", "C", ONLY)
criteria = many("--criterion", "criteria", "C", ONLY)
by_column = text("--by", "COLUMN", "Also by a column, answer_model, cluster or synthetic.")
by = text("--by", "NAME", "Who does it.")
why = text("--why", "TEXT", "Reason.", default="")
note = text("--note", "TEXT", "Note.", default="")
html = text("--html", FILE, "Also write a page.")
FIGURES = "Figure that decides: exact, within_one, qwk, tau_b, balanced_accuracy or mae."
MARGIN = "Non-inferiority margin in its unit; default: as first fixed, else 0.1."
RECALL = "Minimum recall of failing answers."
figure = text("--figure", "FIGURE", FIGURES, default="exact")
minimum = text("--minimum", float, "Minimum of the figure (of mae: maximum).")
failure_precision = text("--failure-precision", SHARE, "Minimum precision of failing verdicts.")
seed = text("--seed", int, "Seed.", default=1)
set_name = click.argument("name", metavar="SET")


def join(function):
    """Join other files, worksheets or lists; passed as `joins`, pairs of what and by which key."""

    @_join
    @_on
    @functools.wraps(function)
    def with_joins(*args, joins, on, **more):
        from concord.messages import Problem

        if len(joins) != len(on):
            raise Problem(
                "Name the key of each --join, as in --join answers.csv --on id.",
                fault_code="no_key",
            )
        return function(*args, joins=[*zip(joins, on, strict=True)], **more)

    return with_joins


def judges(function, required: bool = True):
    """Name judges by `--judge`, repeatable, or by bare arguments; they are passed as `names`."""

    @click.argument("bare", nargs=-1, metavar="[JUDGE]...")
    @many("--judge", "named", "JUDGE", "A judge, by its name or file. A bare argument works too.")
    @functools.wraps(function)
    def named(store, *args, bare, named, **options):
        if required and not (bare or named):
            raise click.UsageError("Name a judge: --judge JUDGE.")
        return function(store, *args, names=(*bare, *named), **options)

    return named


def judge(function, required: bool = True):
    """Name one judge as `judges` does; it is passed as `name`, None where it may be left out."""

    @functools.partial(judges, required=required)
    @functools.wraps(function)
    def one(store, *args, names, **options):
        if len(names) > 1:
            raise click.UsageError("Name one judge.")
        return function(store, *args, name=next(iter(names), None), **options)

    return one


def metrics(told: str):
    """Return the option `--metrics`, explained by the text."""
    return text("--metrics", "A,B", told, callback=_names)


def _names(ctx, param, value: str | None) -> tuple[str, ...]:
    """Return the names in a comma-separated list; empty by default."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())
