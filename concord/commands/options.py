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
        return self.fail("not a share", param, ctx) if math.isnan(number) else number


def flag(*declared: str):
    """Return an option without a value: its names, then its help."""
    *names, told = declared
    return click.option(*names, is_flag=True, help=told)


def text(*declared: str, **how):
    """Return an option with a value: its names, what its value is called, and its help."""
    *names, metavar, told = declared
    return click.option(*names, metavar=metavar, help=told, **how)


def many(*declared: str, **how):
    """Return what `text` does, for an option that may be repeated."""
    return text(*declared, multiple=True, **how)


rubric = text("--rubric", "R", "A rubric's name or .toml file.")
reference = click.option(
    "--reference",
    type=click.Choice(["each", "consensus"]),
    default="each",
    show_default=True,
    help="Compare with each annotator or the consensus.",
)
annotators = many("--annotators", "NAME", "Count only this annotator; repeatable.")
limit = click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="How many to list."
)
mapping = many("--map", "mapped", "FIELD=COLUMN", "Map a field to a column; repeatable.")
_join = many("--join", "joins", "FILE_OR_LIST", "Join this file, worksheet or list; repeatable.")
_on = many("--on", "KEY[=KEY]", "The key of each --join; its name there, if another.")
score = many(
    "--score", "words", "WORD=SCORE", "The score of a word; repeatable. WORD= is no grade."
)
encoding = click.option("--encoding", help="Character encoding, if the guess is wrong.")
worksheet = click.option("--worksheet", help="Worksheet of an XLSX file; default: the largest.")
partial = flag("--partial", "Import valid rows and skip the others.")
yes = flag("--yes", "Do not ask for confirmation.")
INSTEAD = "Use this instead of the judge file's."
base_url = click.option("--base-url", help=INSTEAD)
concurrency = click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=16,
    show_default=True,
    help="Maximum number of requests in flight.",
)
budget = text("--budget", "USD", "Stop before the cost exceeds this.", type=click.FloatRange(0))
estimate = flag("--estimate", "only_estimate", "Print requests, tokens and cost, and stop.")
AGAIN = "Repeat requests without a usable reply."
again = flag("--again", "retry_unscored", AGAIN)
model = click.option("--model", help=INSTEAD)
repeats = click.option(
    "--repeat",
    "repeats",
    type=click.IntRange(1),
    default=1,
    help="Replies per answer, including stored ones.",
)
first_answers = click.option("--limit", type=click.IntRange(1), help="Only the first N answers.")
retry_unscored = flag("--retry-unscored", AGAIN)
criterion = text("--criterion", "C", "The criterion; default: the one of most weight.")
FIGURES = "Figure that decides: exact, within_one, qwk, tau_b, balanced_accuracy or mae."
MARGIN = "Non-inferiority margin in its unit; default: as first fixed, else 0.1."
RECALL = "Minimum recall of failing answers."
figure = text("--figure", "FIGURE", FIGURES, default="exact", show_default=True)
minimum = text("--minimum", "X", "Minimum of the figure (of mae: maximum).", type=Number())
failure_precision = text(
    "--failure-precision", "X", "Minimum precision of failing verdicts.", type=Share()
)
seed = click.option("--seed", type=int, default=1, show_default=True, help="Random seed.")
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
    @many(
        "--judge",
        "named",
        "JUDGE",
        "A judge, by its name or file; repeatable. A bare argument works too.",
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
    return text("--metrics", "A,B", told, callback=_names)


def _names(ctx, param, value: str | None) -> tuple[str, ...]:
    """Return the names in a comma-separated list; empty by default."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())
