"""Build: from documents to drafts, from approved drafts to the answers of models."""

from concord.messages import said
from concord.ui.frame import enter, may_act
from concord.ui.screens.data import build as parts
from concord.ui.screens.data import build_begin, build_draft, build_run
from concord.ui.widgets import finding

store = enter(__file__)
name = parts.pick(store)
if name is None:
    build_begin.taken()
    finding(
        said("Build a sheet from documents or questions"),
        said(
            "A model drafts questions from documents, each with a verbatim quote, and you accept "
            "or reject each. Or import your own questions. Then any models answer them."
        ),
    )
    if may_act(store):
        build_begin.begin(store, None)
else:
    parts.headline(store, name)
    if may_act(store) and parts.has_documents(store, name):
        with parts.drafting_box(store, name):
            build_run.drafting(store, name)
    draft = build_draft.chosen(store, name)
    if draft and may_act(store):
        build_draft.read_and_decide(store, draft)
    questions = parts.to_ask(store, name)
    if questions and may_act(store):
        with parts.answering_box(store, name, questions):
            build_run.answering(store, name, questions)
    build_draft.overview(store, name)
    if may_act(store):
        with parts.more(name):
            build_begin.begin(store, name)
