"""The verb `choose`."""

import click

from verbs.frame import Share, as_json, panel_of, people_option, rubric_option, say, verb


@verb
@click.option("--against", metavar="JUDGE", help="The reference judge; it has to be named.")
@click.option("--margin", type=Share(), default=0.10, show_default=True, help="Loss accepted.")
@click.option("--minimum", type=Share(), metavar="X", help="The least share of exact agreement.")
@click.option("--caught", type=Share(), default=0.5, show_default=True, help="Of failing answers.")
@click.option("--criterion", metavar="C", help="The criterion; the heaviest otherwise.")
@click.option("--fix", "only_fix", is_flag=True, help="Fix the terms now and look at nothing.")
@click.option("--holds", "replay", is_flag=True, help="Replay the verdict under other choices.")
@rubric_option
@people_option
@as_json
def choose(
    store, sheet_name, against, criterion, only_fix, replay, rubric, people, json_out, **terms
):
    """Say which judge is the cheapest that is good enough beside a reference judge.

    The terms are written down before the result is shown, and every look at new grades is counted:
    after four there is no verdict.
    """
    from reports import annotator_warnings
    from reports import choose as report
    from reports.candidates import unnamed
    from reports.choose_sentence import detail
    from reports.choose_table import text
    from reports.gate import judge_of
    from reports.holds import holds
    from reports.verdict import Terms

    panel = panel_of(store, sheet_name, rubric, people, "The choice of a judge is")
    if against is None:
        raise unnamed(panel)
    reference = judge_of(store, panel, against)
    decision = report.fix(store, panel, reference, Terms(**terms), criterion)
    if only_fix:
        said = f"Fixed on {decision.created_at[:10]}; nothing was looked at."
        return say({"decision": decision._asdict()}, json_out, said)
    found = report.look(store, panel, decision)
    said = f"{found['sentence']} {detail(found)}"
    if replay and found["about"]:
        judge = judge_of(store, panel, found["about"])
        found["holds"] = holds(panel, decision, reference, judge)
        said += f" {found['holds']['sentence']}"
    parts = [text(found), said, annotator_warnings.text(found["annotator_warnings"])]
    return say(found, json_out, "\n\n".join(filter(None, parts)))
