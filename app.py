"""Concord: `streamlit run app.py` opens it. The server around the screens, and their frame.

Streamlit reads this file twice: once to start the server, and in every run of a screen.
"""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from concord.ui.language import pick_language, say, settle_language
from concord.ui.page_run import ICON, framed, is_closed
from concord.ui.server.concurrency_limit import limited
from concord.ui.server.security_middleware import middleware
from concord.ui.sign_in import is_inside

if get_script_run_ctx(suppress_warning=True) is None:
    app = st.App("app.py", middleware=middleware(is_inside))
else:
    st.set_page_config(page_title=say("Concord"), page_icon=str(ICON), layout="wide")
    settle_language()

    SCREENS = {
        say("Prepare"): [
            st.Page("pages/start.py", title=say("Start"), icon=":material/flag:", default=True),
            st.Page("pages/sheets.py", title=say("Sheets"), icon=":material/table:"),
            st.Page("pages/build.py", title=say("Build"), icon=":material/construction:"),
            st.Page("pages/rubric.py", title=say("Rubrics"), icon=":material/rule:"),
            st.Page("pages/splits.py", title=say("Splits"), icon=":material/lock:"),
            st.Page("pages/team.py", title=say("Team"), icon=":material/badge:"),
        ],
        say("Grade"): [
            st.Page("pages/plan.py", title=say("Plan"), icon=":material/event_note:"),
            st.Page("pages/grading.py", title=say("Grading sets"), icon=":material/group:"),
            st.Page("pages/grade.py", title=say("Grade"), icon=":material/edit_note:"),
            st.Page("pages/adjudicate.py", title=say("Adjudicate"), icon=":material/how_to_reg:"),
            st.Page("pages/judges.py", title=say("Judges"), icon=":material/gavel:"),
        ],
        say("Calibrate"): [
            st.Page("pages/agreement.py", title=say("Agreement"), icon=":material/handshake:"),
            st.Page("pages/annotators.py", title=say("Annotators"), icon=":material/diversity_3:"),
            st.Page(
                "pages/disagreements.py",
                title=say("Disagreements"),
                icon=":material/compare_arrows:",
            ),
            st.Page("pages/evidence.py", title=say("Evidence"), icon=":material/find_in_page:"),
            st.Page("pages/refuted.py", title=say("Refuted"), icon=":material/fact_check:"),
            st.Page("pages/metrics.py", title=say("Metrics"), icon=":material/straighten:"),
            st.Page(
                "pages/compare.py", title=say("Prompts and scales"), icon=":material/view_column:"
            ),
            st.Page("pages/ranking.py", title=say("Ranking"), icon=":material/leaderboard:"),
            st.Page("pages/topicality.py", title=say("Topicality"), icon=":material/contrast:"),
            st.Page("pages/choose.py", title=say("Choose"), icon=":material/balance:"),
            st.Page("pages/certificate.py", title=say("Certificate"), icon=":material/verified:"),
        ],
    }

    closed = is_closed()
    with limited(closed):
        page = st.navigation(SCREENS, position="hidden" if closed else "sidebar", expanded=True)
        with st.container(key="language") if closed else st.sidebar:
            pick_language()
        framed(page)
