"""Answering models by a judge, corrected by a random sample that annotators graded (PPI++)."""

from concord.model import Grader
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.sampling_weights import AssignedGrades
from concord.reports.ranking.judged_models import JudgedModel, JudgedModels, scored, sums
from concord.stats.comparison.model_order import mean_difference, model_means
from concord.stats.core.estimate import Estimate
from concord.stats.correction.ppi import Sample, ppi_difference, ppi_mean


def models(panel: Panel, judge: Grader, drawn: AssignedGrades) -> JudgedModels:
    """Return mean composites, each corrected by the model's answers in the sample.

    Raw and corrected figures are of the same answers: those that could have been drawn.
    """
    items, index = scored(panel, judge, COMPOSITE), panel.answer_model
    items = items[~drawn.passed[items]]
    judged, annotators = panel.given(COMPOSITE, judge.id).score, drawn.means(panel)
    scale, names = (panel.rubric.scale[0], panel.rubric.scale[-1]), panel.answer_models
    by_model = sums(panel, items, judged[items])
    raw = model_means(by_model, panel.ends(COMPOSITE, judge.id))
    samples = [
        Sample(judged[own], annotators[own], drawn.weight[own], panel.cluster[own])
        for own in (items[index[items] == m] for m in range(len(names)))
    ]

    def difference(above: str, below: str) -> tuple[Estimate, Estimate]:
        one, other = names.index(above), names.index(below)
        return mean_difference(by_model, one, other), ppi_difference(samples[one], samples[other])

    found = (
        JudgedModel(name, raw[m], ppi_mean(of, scale), len(of.judge), int(of.labelled.sum()))
        for m, (name, of) in enumerate(zip(names, samples, strict=True))
        if len(of.judge)
    )
    return JudgedModels(tuple(found), difference)
