"""Concord: the frame around every screen. `streamlit run app.py` opens it."""

import streamlit as st

from ui.frame import ICON, framed, is_closed

st.set_page_config(page_title="Concord", page_icon=str(ICON), layout="wide")

SCREENS = {
    "Prepare": [
        st.Page("pages/start.py", title="Start", icon=":material/flag:", default=True),
        st.Page("pages/sheets.py", title="Sheets", icon=":material/table:"),
        st.Page("pages/build.py", title="Build", icon=":material/construction:"),
        st.Page("pages/rubric.py", title="Rubrics", icon=":material/rule:"),
        st.Page("pages/roles.py", title="Roles", icon=":material/lock:"),
    ],
    "Grade": [
        st.Page("pages/plan.py", title="Plan", icon=":material/event_note:"),
        st.Page("pages/grading.py", title="Grading sets", icon=":material/group:"),
        st.Page("pages/grade.py", title="Grade", icon=":material/edit_note:"),
        st.Page("pages/adjudicate.py", title="Adjudicate", icon=":material/how_to_reg:"),
        st.Page("pages/judges.py", title="Judges", icon=":material/gavel:"),
    ],
    "Calibrate": [
        st.Page("pages/agreement.py", title="Agreement", icon=":material/handshake:"),
        st.Page("pages/people.py", title="People", icon=":material/diversity_3:"),
        st.Page("pages/disagreements.py", title="Disagreements", icon=":material/compare_arrows:"),
        st.Page("pages/evidence.py", title="Evidence", icon=":material/find_in_page:"),
        st.Page("pages/refuted.py", title="Refuted", icon=":material/fact_check:"),
        st.Page("pages/measures.py", title="Measures", icon=":material/straighten:"),
        st.Page("pages/compare.py", title="Prompts and scales", icon=":material/view_column:"),
        st.Page("pages/ranking.py", title="Ranking", icon=":material/leaderboard:"),
        st.Page("pages/topicality.py", title="Topicality", icon=":material/contrast:"),
        st.Page("pages/choose.py", title="Choose", icon=":material/balance:"),
        st.Page("pages/certificate.py", title="Certificate", icon=":material/verified:"),
    ],
}

page = st.navigation(SCREENS, position="hidden" if is_closed() else "sidebar", expanded=True)
framed(page)
