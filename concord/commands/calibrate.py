"""The command `calibrate`."""

import sys

import click

from concord.commands import options
from concord.commands.agreement import write_page
from concord.commands.frame import say_documents, verb
from concord.commands.gate import OfStatistics


@verb(cls=OfStatistics, keeps=False)
@click.argument("file", required=False)
@options.many("--judge", "judges", "COLUMN", "A column of a judge's verdicts.")
@options.many("--human", "humans", "COLUMN", "A column of an annotator's labels.")
@options.text("--by", "COLUMN", "What rows belong together by, such as a document.")
@options.mapping
@options.join
@options.score
@options.text("--cut", float, "A judge's numbers from here on pass; those below fail.")
@options.text("--scale", "LOW-HIGH", "Scale of the grades, such as 1-5.")
@options.rubric
@options.partial
@options.encoding
@options.worksheet
@options.html
def calibrate(store, sheet_name, file, html, encoding, worksheet, scale, **how):
    """Compare the judges of one file with its annotators; nothing is stored.

    FILE is any that `import` reads, - standard input; without it, the sample is shown. Columns are
    read off their names unless they are named. Rows need no question and no answer: each is then
    its own question. Thresholds are those of `gate`: exit 1 unless each is met.
    """
    from concord.importing.recognition import open_file
    from concord.importing.spec import scale_of
    from concord.reports import calibration
    from concord.reports.document import as_json
    from concord.reports.panel.panel import read as read_panel
    from concord.stats.statistics import STATISTICS

    wanted = {one.key: how.pop(one.key) for one in STATISTICS if one.gate}
    wanted = {figure: least for figure, least in wanted.items() if least is not None}
    if file is None:
        from concord.samples import load
        from concord.store import sheets
        from concord.store.rubrics import rubric_versions

        load.load_sample(store)
        rubric = rubric_versions.named(store, load.RUBRIC)[1]
        read = (read_panel(store, sheets.find(store, load.NAME), rubric, None),)
    else:
        data = sys.stdin.buffer.read() if file == "-" else file
        table = open_file(data, "standard input", encoding=encoding, worksheet=worksheet)
        how |= {"encoding": encoding, "scale": scale_of(scale) if scale else ()}
        read = calibration.read(store, table, **how)
    panel = read[0]
    found = calibration.calibrate(store, *read)
    parts = [calibration.document(found)]
    result = as_json(found)
    if wanted:
        from concord.reports import gate

        checked = [gate.gate_judge(panel, one, wanted) for one in panel.judges.values()]
        result |= {"holds": all(one.holds for one in checked), "gates": checked}
        parts += map(gate.document, checked)
    if html:
        write_page(store, panel, found.report, html, [one["text"] for one in found.caveats])
    say_documents(result, *parts)
    if wanted and not result["holds"]:
        sys.exit(1)
