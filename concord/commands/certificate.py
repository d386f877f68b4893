"""The command `certificate`."""

from concord.commands import options
from concord.commands.frame import panel_of, say_documents, verb


@verb
@options.judge
@options.criteria
@options.text("--open-held-out", "why", "WHY", "The reason to open the held-out questions.")
@options.by
@options.text("--days", options.COUNT, "Days until it expires.", default=90)
@options.html
@options.rubric
@options.annotators
def certificate(store, sheet_name, name, criteria, why, by, days, html, rubric, annotators):
    """Certify a judge: figures, what they rest on, limitations.

    A certificate rests on the latest interim looks of `choose`, one per criterion. A judge that is
    not good enough on one criterion is certified only on those that --criterion names. Write it
    with --json to a file for `verify` and `gate --certificate`.
    """
    from concord.exporting import exported_tables
    from concord.reports.certificate import certification
    from concord.reports.certificate.certificate import document, page
    from concord.reports.panel.choice import judge_of

    panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    found = judge_of(store, panel, name)
    written = certification.certify(store, panel, found, days, why, by or "", criteria)
    if html:
        exported_tables.write(html, page(written))
    # Its digest covers the document to the letter.
    say_documents(written.document, document(written), codes=False)
