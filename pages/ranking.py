"""Ranking: in which order annotators and a judge put the answering models, and how certain."""

import streamlit as st

from concord.messages import said
from concord.reports.ranking.document import document
from concord.ui import render
from concord.ui.chart import show_charts
from concord.ui.frame import enter
from concord.ui.language import say
from concord.ui.report_picker import pick_report
from concord.ui.screens import ranking
from concord.ui.widgets import TO_JUDGES, empty, terms

DRAW = ("pages/annotate.py", said("Create a grading set and grade"))

store = enter(__file__)
report = pick_report(
    store,
    said("this screen shows whether judges rank the answering models as the annotators do."),
)
if report is None:
    st.stop()
if len(report.panel.answer_models) < 2:
    empty(
        said("Fewer than two answering models"),
        said(
            "A ranking needs answers of at least two answering models. Import answers of another "
            "one, or import the sheet again and map the column that names the model."
        ),
        "pages/data.py",
        said("Import more answers"),
    )
    st.stop()

found = ranking.ranking(report)
order = ranking.pick_judge(found.orders)
name = f"{report.sheet.name}-{report.rubric.name}-ranking"
shown = document(found, order.judge if order else None)
render.head(shown, in_one=True)
terms("composite", said("model ranking"), "tau-b", "baseline", "corrected", "PPI", "rogan-gladen")
ranking.exploration(report.rubric)
if order and order.comparable:
    with st.container(key="order-chart"):
        show_charts(shown, name)
elif len(found.annotated) < 2:
    why = said("Every criterion of 20 answers of each model must be graded.")
    empty(said("Annotators have not graded two answering models yet"), why, *DRAW)
elif order:
    why = said("Let the judge grade every criterion of the answers that annotators have graded.")
    empty(said("The judge cannot be compared yet"), why, *TO_JUDGES)
else:
    why = said("Run a judge, or the baseline, to see whether it ranks the models the same.")
    empty(said("No judge has graded yet"), why, *TO_JUDGES)
render.body(shown, name, in_full=True)

if len(report.rubric.criteria) > 1:
    with st.expander(say("Explore other weights"), icon=":material/tune:"):
        ranking.sliders(report.rubric)
if order:
    with st.expander(say("Corrected for the judge's bias")):
        weights = ranking.explored(report.rubric) or report.rubric.weights()
        ranking.corrected_scores(report, weights, order.judge, name)
