"""Agreement: how far each judge may be trusted, beside people and the constant grade."""

import streamlit as st

from reports.sentence import detail, title
from ui import agreement_table as tables
from ui import charts
from ui.agreement_more import more, terms, uncounted
from ui.agreement_pick import pick, pick_figure
from ui.confusion_pick import cell_answers, confusion_pick
from ui.frame import enter
from ui.report import missing, pick_report
from ui.widgets import figure, finding, table

WORDS = ("baseline", "bias", "qwk", "each", "consensus", "left out")

store = enter(__file__)
report = pick_report(store)
if report is None or missing(report):
    st.stop()

choice = pick(report)
found = report.agreement(choice.kind)
rows = found["rows"]
chosen = tables.row_of(rows, choice.judge, choice.criterion)
name = f"{report.sheet.name}-{report.rubric.name}"
finding(title(chosen), detail(chosen))
uncounted(found)

with st.container(horizontal=True):
    drawn = pick_figure()
    terms("exact", "within one", "off by two", "caught", "failing", "ceiling", "constant", *WORDS)
figure(
    charts.agreement(rows, drawn, charts.agreement_title(rows, choice.criterion, drawn)),
    f"{name}-{drawn}",
    charts.agreement_alt(rows, drawn),
)
criteria = tables.of_criteria(rows)
table(tables.shown(criteria), f"{name}-figures", whole=tables.numbers(rows))

left, right = st.columns(2, gap="large")
with left:
    st.subheader("Person's score against the judge's", anchor=False)
    cell = confusion_pick(report, choice.judge, choice.criterion, choice.kind)
with right:
    st.subheader("By answering model", anchor=False)
    by_model = tables.of_judge(report.by_answer_model(choice.kind, choice.criterion), choice.judge)
    look = charts.looks(rows)[choice.judge]
    if by_model:
        figure(
            charts.by_answer_model(by_model, look, charts.by_answer_model_title(by_model)),
            f"{name}-{choice.judge}-by-model",
            charts.by_answer_model_alt(by_model),
        )
    else:
        st.write("The sheet does not say which model wrote which answer.")
if cell:
    cell_answers(store, report, choice.judge, choice.criterion, choice.kind, cell)
if by_model:
    with st.expander("The figures by answering model"):
        table(tables.shown(by_model), f"{name}-by-model", whole=tables.numbers(by_model))
more(found, name)
