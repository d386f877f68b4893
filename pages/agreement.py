"""Agreement: each judge against the annotators, the human ceiling and the majority class."""

import streamlit as st

from concord.messages import said
from concord.reports.agreement import document
from concord.reports.agreement.charts import best_first, chart, is_mean, looks
from concord.reports.agreement.columns import FAILING, FIGURES, ORDERED
from concord.reports.agreement.headline import finding
from concord.stats.statistics import BY_KEY
from concord.ui import render
from concord.ui.cached_reports import open_alerts
from concord.ui.chart import show_chart
from concord.ui.frame import enter
from concord.ui.language import plain, say
from concord.ui.report_picker import pick_graded, warned
from concord.ui.screens import agreement
from concord.ui.screens.agreement import more, pick, pick_figure
from concord.ui.widgets import terms

WORDS = (
    *(BY_KEY[key].heading for key in (*FIGURES[ORDERED], *FAILING)),
    *("ceiling", "majority-class baseline", "baseline", "each", "consensus", "left out"),
)
THEN = said("this screen says how far the judges may be trusted.")

store = enter(__file__)
report = pick_graded(store, THEN, units=True, means=True, by_criterion=True)
if report is None:
    st.stop()

choice = pick(report)
mine = agreement.of_criterion(report, choice.kind, choice.criterion)
of_judge = [row for row in mine if row.judge == choice.judge]
if not of_judge:
    st.info(
        say(
            "{judge} has not graded {criterion}. Choose another criterion or another judge.",
            judge=plain(choice.judge),
            criterion=plain(report.rubric.headings()[choice.criterion]),
        )
    )
    st.stop()
# A mean's row comes after that of the annotators, and stands alone where none of them graded.
chosen = next((row for row in of_judge if row.n), of_judge[0])
name = f"{report.sheet.name}-{report.rubric.name}"
without = agreement.without_alerted(report, chosen)
top = finding(chosen, report.rubric, mine, open_alerts(report), without)
render.head(top, in_one=True)
warned(report)

with st.container(horizontal=True):
    drawn = pick_figure(report, chosen)
    terms(*WORDS)
if not all(map(is_mean, mine)):
    drawing = chart(mine, report.rubric, drawn, looks(report.people))
    show_chart(drawing, name)
render.body(document.figures(best_first(mine, drawn), report.rubric), name, in_full=True)
more(report, choice, name)
