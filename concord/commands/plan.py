"""The command `plan`."""

import click

from concord.commands import options
from concord.commands.frame import (
    UNCHANGED,
    confirm,
    name_left_out,
    rubric_of,
    say_documents,
    sheet_of,
    verb,
)
from concord.messages import Problem


@verb
@options.figure
@options.text("--margin", float, options.MARGIN)
@options.minimum
@options.text("--failure-recall", options.SHARE, options.RECALL, default=0.5)
@options.failure_precision
@options.text("--judges", click.IntRange(1, 32), "Candidates.", default=1)
@options.text("--per-answer", click.IntRange(1, 9), "Annotators per answer.")
@options.text("--looks", click.IntRange(1, 4), "Interim looks at even shares.", default=1)
@options.text("--share", options.SHARE, "Assumed exact agreement of a judge.", default=0.8)
@options.text("--ceiling", options.SHARE, "Assumed exact agreement of annotators.", default=0.8)
@options.text("--failing", options.SHARE, "Assumed share of failing answers.")
@options.text("--against", "JUDGE", "The reference judge; default: the best.")
@options.text("--candidate", "JUDGE", "The judge compared with it; default: the next best.")
@options.criterion
@options.text("--draw", options.COUNT, "Sample the next N questions.")
@options.text("--enrich", options.SHARE, "Share of the sample for suspected failures.", default=0.0)
@options.seed
@options.text("--name", "NAME", "Name of the grading set; default: Set 2 and so on.")
@options.rubric
@options.annotators
@options.yes
def plan(store, sheet_name, rubric, annotators, criterion, **options):
    """Estimate power and sample size; --draw creates the next set.

    Power is simulated with the procedure of `choose`. It is resampled from the graded questions if
    there are at least 40, and otherwise rests on the assumptions in the options.

    --enrich 0.33 reserves a third of the sample for questions with an answer that a judge fails.
    Inclusion probabilities are stored, and all figures are weighted by their inverse.
    """
    from concord.importing import grade_scales
    from concord.reports import plan as report
    from concord.reports import samples
    from concord.reports.document import Document
    from concord.reports.document import as_json as plain
    from concord.reports.panel.panel import read as read_panel
    from concord.reports.plan import document
    from concord.store.rubrics import rubric_versions

    sheet = sheet_of(store, sheet_name)
    if not rubric and not rubric_versions.annotators_used(store, sheet.id):
        rubric = grade_scales.proposed_rubric(store, sheet)
    rubric_id, chosen = rubric_of(store, sheet, rubric, of_answers=True)
    panel = read_panel(store, sheet, chosen, annotators or None)
    name_left_out(panel.not_included)
    if options["enrich"] and not options["draw"]:
        raise Problem("--enrich is for a sample. Add --draw N.")
    options["annotators"] = options.pop("per_answer")
    terms = report.PlannedDecision(*(options[name] for name in report.PlannedDecision._fields))
    name = (chosen.criterion(criterion) if criterion else chosen.heaviest()).name
    sample, mind = None, ""
    if options["draw"]:  # before the simulation, which takes long: there may be nothing to sample
        asked = (options[one] for one in ("draw", "seed", "enrich"))
        sample = samples.request(panel, name, *asked)
        mind = samples.propose(store, panel, rubric_id, sample)["warning"]
    agreed = not mind or options["yes"] or confirm(mind)
    planned = report.plan(store, panel, terms, name, options["against"], options["candidate"])
    parts, made = [document(planned)], None
    if sample and agreed:
        made = samples.create(store, panel, rubric_id, options["name"], sample)
        parts.insert(0, Document(samples.sentence(made)))
    elif sample:
        parts.insert(0, Document(UNCHANGED))
    values = plain(planned) | {"synthetic": sheet.synthetic, "drawn": plain(made)}
    say_documents(values, *parts)
