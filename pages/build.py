"""Build: from documents to drafts, from approved drafts to the answers of models."""

from concord.messages import said
from concord.ui.frame import enter, may_act
from concord.ui.screens import build
from concord.ui.widgets import finding

store = enter(__file__)
name = build.pick(store)
if name is None:
    build.taken()
    finding(
        said("Build a sheet from documents or questions"),
        said(
            "A model drafts questions from documents, each with a verbatim quote, and you accept "
            "or reject each. Or import your own questions. Then any models answer them."
        ),
    )
    if may_act(store):
        build.begin(store, None)
else:
    build.headline(store, name)
    if may_act(store) and build.has_documents(store, name):
        with build.drafting_box(store, name):
            build.drafting(store, name)
    draft = build.chosen(store, name)
    if draft and may_act(store):
        build.read_and_decide(store, draft)
    questions = build.to_ask(store, name)
    if questions and may_act(store):
        with build.answering_box(store, name, questions):
            build.answering(store, name, questions)
    build.overview(store, name)
    if may_act(store):
        with build.more(name):
            build.begin(store, name)
