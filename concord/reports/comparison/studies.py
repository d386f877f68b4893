"""Studies: predefined comparisons of judges, each answered on the user's own sheets.

But for the reading rules they repeat the questions of a published study of LLM judges for answers
about documents (Databricks, 2023). Each is one `Plan`: it selects what is compared, and its rows
say if a judge is near enough to annotators, or nearer than the one it is compared with.
"""

from concord.messages import Problem, joined, on_command_line, said
from concord.model import Sheet
from concord.reports.comparison import (
    agreement_bars,
    paired_studies,
    reading_choice,
    reading_rules,
    transfer,
)
from concord.reports.comparison.study import Plan, Request, Study, study
from concord.reports.decision.cost import costs
from concord.reports.panel import variants
from concord.reports.panel.reference_standard import EACH
from concord.reports.probabilities import judge_probabilities
from concord.store import sheets
from concord.store.database import Store


def run(
    store: Store,
    sheet: Sheet,
    name: str,
    judges: tuple[str, ...] = (),
    kind: str = EACH,
    rubric: str | None = None,
    annotators: tuple[str, ...] = (),
    pool: bool = False,
) -> Study:
    """Run one study on a sheet.

    `name` is one of `PLANS`, `judges` are variants by name (all by default), and `kind` is `each`
    or `consensus`. `rubric` is the one under which annotators graded; `annotators` names who
    counts. With `pool` the study `reading` is run on the few-shot pool, to choose a rule there.
    """
    plan = _plan(name, pool)
    asked = request(store, sheet, judges, kind, rubric, annotators, pool)
    return study(name, plan, asked)


def request(
    store: Store,
    sheet: Sheet,
    judges: tuple[str, ...] = (),
    kind: str = EACH,
    rubric: str | None = None,
    annotators: tuple[str, ...] = (),
    pool: bool = False,
) -> Request:
    """Return what a study is asked, read from the store; parameters as for `run`."""
    here = variants.read(store, sheet, pool)
    if pool and not here.graded:
        raise Problem(
            "No annotator has graded an answer to a question in the few-shot pool of “{sheet}”, so "
            "no rule can be chosen on it. Have some graded, or move graded questions there under "
            "Splits{on_command_line}.",
            sheet=sheet.name,
            on_command_line=on_command_line("`splits --set few-shot --question ID`"),
        )
    chosen = here.named(judges) if judges else list(here.every)
    panel = here.annotators(rubric, annotators)
    return Request(
        here,
        panel,
        chosen,
        kind,
        bool(judges),
        lambda: costs(store, sheet, [variant.judge for variant in chosen]),
        lambda: [variants.read(store, s) for s in sheets.all_sheets(store) if s.id != sheet.id],
        lambda: judge_probabilities.read(store, panel),
        pool,
    )


def _plan(name: str, pool: bool) -> Plan:
    """Return a study by name; a Problem if it does not exist or is not on the few-shot pool."""
    if name not in PLANS:
        known = joined(", ", PLANS)
        raise Problem("There is no study “{name}”. Available: {known}.", name=name, known=known)
    if not pool:
        return PLANS[name]
    if name != READING:
        raise Problem("Only the study “{name}” runs on the few-shot pool.", name=READING)
    todo = said(
        "Run one on the few-shot pool under Judges{on_command_line}. It has to return "
        "probabilities.",
        on_command_line=on_command_line("`judge NAME --pool`"),
    )
    lacking = PLANS[name].lacking[0], todo
    return PLANS[name]._replace(lacking=lacking, compare=reading_choice.compare)


READING = "reading"


PLANS: dict[str, Plan] = {
    "agreement": Plan(
        said("Do judges give the scores that annotators give?"),
        said(
            "Databricks (2023, answers about its documentation, 0-3): GPT-4 gave the annotators' "
            "exact score on more than 80% of answers for correctness and readability, and was "
            "within one point on more than 95%; comprehensiveness, the vaguest of the three, was "
            "lower."
        ),
        agreement_bars.judged,
        (
            said(
                "No judge has given scores of {rubric} ({scale}) to these answers, as annotators "
                "did."
            ),
            said(
                "Run one with that rubric under Judges{on_command_line}.",
                on_command_line=on_command_line("`judge NAME --rubric R`"),
            ),
        ),
        agreement_bars.compare,
    ),
    "examples": Plan(
        said("Does a judge do better when the prompt shows examples of each score?"),
        said(
            "Databricks (2023): examples changed little for GPT-4, but made GPT-3.5, whose scores "
            "were of no use without them, rank the answering models as GPT-4 does, at a tenth of "
            "the price and three times the speed."
        ),
        paired_studies.pairs_with_examples,
        (
            said(
                "No judge has graded this sheet both without and with examples, all else the same."
            ),
            said(
                "Run one both ways under Judges{on_command_line}.",
                on_command_line=on_command_line("`judge gpt-6-luna-zero-shot gpt-6-luna-few-shot`"),
            ),
            said(
                "Judges whose grades came from a file can be named, the one without examples "
                "first: “compare --study examples --judge WITHOUT --judge WITH”."
            ),
        ),
        paired_studies.examples,
    ),
    "scales": Plan(
        said("Which scale should judges grade on?"),
        said(
            "Databricks (2023) tried 0-1, 0-3, 1-5 and 0-10: judges ranked the answering models in "
            "the same order on the coarse scales, agreed less with one another on finer ones, and "
            "did not distinguish neighbouring scores on 0-10; it recommends 0-3 or 1-5, and 0-1 "
            "for simple questions."
        ),
        paired_studies.judges_with_scales,
        (
            said("No judge has graded this sheet on two scales, all else the same."),
            said(
                "Run one under Judges with another rubric, such as doc-qa-0-10, doc-qa-0-1, "
                "doc-qa-0-4 or doc-qa-1-5{on_command_line}.",
                on_command_line=on_command_line("`judge NAME --rubric R`"),
            ),
            said(
                "Judges whose grades came from a file can be named: “compare --study scales "
                "--judge A --judge B”."
            ),
        ),
        paired_studies.scales,
    ),
    "transfer": Plan(
        said("Does a judge that was calibrated on one sheet do as well on another?"),
        said(
            "Databricks (2023): a model that general benchmarks call nearly as good as GPT-3.5 "
            "was clearly worse on questions about documents, by GPT-4, GPT-3.5 and annotators "
            "alike: results do not carry over from one use to another, and each use needs a "
            "benchmark of its own."
        ),
        transfer.on_two_sheets,
        (
            said(
                "No judge has graded both “{sheet}” and another sheet that annotators graded by "
                "the same rubric."
            ),
            said(
                "Import answers of the other use as a separate sheet, let annotators grade some "
                "of it, and run the same judge on it{on_command_line}.",
                on_command_line=on_command_line("`judge NAME --sheet OTHER`"),
            ),
        ),
        transfer.compare,
    ),
    READING: Plan(
        said("How should a score be read from a judge's probabilities?"),
        said(""),
        reading_rules.judged,
        (
            said("No judge has given a probability for each score of {rubric} ({scale})."),
            said(
                "Run a decision model, or a chat judge with “logprobs = true” in its file, under "
                "Judges{on_command_line}.",
                on_command_line=on_command_line("`judge NAME`"),
            ),
            said(
                "Probabilities made elsewhere can be imported with the grades, a column p:SCORE "
                "for each score{on_command_line}.",
                on_command_line=on_command_line("`grades FILE`"),
            ),
        ),
        reading_rules.compare,
    ),
}
