"""Options that several commands have: `@options.rubric` above a command adds `--rubric`."""

import functools
import math
from decimal import Decimal, InvalidOperation

import click


class Number(click.ParamType):
    """A number; `10%` is 0.1."""

    name = "float"

    def convert(self, value, param, ctx):
        """Return the number; the same one is the same float however it is written."""
        return click.FLOAT.convert(_from_percent(value), param, ctx)


def _from_percent(value):
    """Return a number for a text in percent; any other text stays as it is, for the error."""
    if not (isinstance(value, str) and value.rstrip().endswith("%")):
        return value
    try:
        return float(Decimal(value.rstrip().removesuffix("%")) / 100)
    except InvalidOperation:
        return value


class Share(click.FloatRange):
    """A number from 0 to 1, also in percent."""

    def __init__(self):
        super().__init__(0, 1)

    def convert(self, value, param, ctx):
        """Return the number; NaN is invalid."""
        number = super().convert(_from_percent(value), param, ctx)
        return self.fail(f"{value} is not a share.", param, ctx) if math.isnan(number) else number


as_json = click.option(
    "--json", "json_out", is_flag=True, help="Print one JSON document instead of text."
)
rubric = click.option("--rubric", metavar="R", help="A rubric's name or .toml file.")
reference = click.option(
    "--reference",
    type=click.Choice(["each", "consensus"]),
    default="each",
    show_default=True,
    help="Compare with each annotator or with their consensus.",
)
annotators = click.option(
    "--annotators",
    multiple=True,
    metavar="NAME",
    help="Count only this annotator; repeatable.",
)
limit = click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="How many to list."
)
mapping = click.option(
    "--map",
    "mapped",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Map a field to a column; repeatable.",
)
score = click.option(
    "--score",
    "words",
    multiple=True,
    metavar="WORD=SCORE",
    help="The score of a word; repeatable. WORD= is no grade.",
)
encoding = click.option("--encoding", help="Character encoding, if the guess is wrong.")
worksheet = click.option(
    "--worksheet", help="Worksheet of an XLSX file; by default the one with the most data."
)
partial = click.option("--partial", is_flag=True, help="Import valid rows and skip the others.")
yes = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
base_url = click.option("--base-url", help="Use this endpoint instead of the judge file's.")
concurrency = click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=16,
    show_default=True,
    help="Maximum number of requests in flight.",
)
budget = click.option(
    "--budget", type=click.FloatRange(0), metavar="USD", help="Stop before the cost exceeds this."
)
estimate = click.option(
    "--estimate", "only_estimate", is_flag=True, help="Print requests, tokens and cost, and stop."
)
again = click.option(
    "--again", "retry_unscored", is_flag=True, help="Repeat requests that got no usable reply."
)
model = click.option("--model", help="Use this model instead of the judge file's.")
# As a judge of its own, with grades of its own.
new_model = click.option(
    "--model", help="Use this model instead of the judge file's, as a new judge."
)
new_base_url = click.option(
    "--base-url", help="Use this endpoint instead of the judge file's, as a new judge."
)
repeats = click.option(
    "--repeat",
    "repeats",
    type=click.IntRange(1),
    default=1,
    help="Replies per answer, including stored ones.",
)
first_answers = click.option("--limit", type=click.IntRange(1), help="Only the first N answers.")
retry_unscored = click.option(
    "--retry-unscored", is_flag=True, help="Repeat requests whose reply gave no score."
)
criterion = click.option(
    "--criterion", metavar="C", help="The criterion; default: the one with the largest weight."
)
figure = click.option(
    "--figure",
    default="exact",
    show_default=True,
    metavar="FIGURE",
    help="The figure that decides: exact, within_one, qwk, tau_b, balanced_accuracy or mae.",
)
minimum = click.option(
    "--minimum", type=Number(), metavar="X", help="Minimum of the figure (of mae: maximum)."
)
failure_precision = click.option(
    "--failure-precision", type=Share(), metavar="X", help="Minimum precision of failing verdicts."
)
set_name = click.argument("name", metavar="SET")


def judges(function, required: bool = True):
    """Name judges by `--judge`, repeatable, or by bare arguments; they are passed as `names`."""

    @click.argument("bare", nargs=-1, metavar="[JUDGE]...")
    @click.option(
        "--judge",
        "named",
        multiple=True,
        metavar="JUDGE",
        help="A judge, by its name or file; repeatable. A bare argument works too.",
    )
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
    return click.option("--metrics", callback=_names, metavar="A,B", help=told)


def _names(ctx, param, value: str | None) -> tuple[str, ...]:
    """Return the names in a comma-separated list; empty by default."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())
