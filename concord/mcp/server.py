"""The tools of a coding agent, by the Model Context Protocol over standard input and output.

Each tool runs the command of the same job in a process of its own, so that what a person is refused
an agent is refused too, and to cancel a tool ends that process alone. A function declares a tool:
its docstring is what the agent reads, its arguments are the options that it may give. Files lie in
the folder that the server was started in. The process sends API keys only to the servers that they
are bound to, since an agent may write judge files.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import AfterValidator, BaseModel, Field

import concord.mcp
from concord.resources import ROOT
from concord.store.database import default_path
from concord.team.members import BOUND

FOLDER = Path.cwd().resolve()
ROWS, LETTERS = 20, 600  # of a table and of a text, at most
FIGURE = {"value", "low", "high", "why_none"}


def _inside(name: str) -> str:
    """Return the path of a name, links followed; a ValueError where it leads out of the folder."""
    path = (FOLDER / name).resolve()
    if not path.is_relative_to(FOLDER):
        raise ValueError(f"{name} is outside the folder {FOLDER}.")
    return str(path)


def _new(path: str) -> str:
    if Path(path).exists() or not Path(path).parent.is_dir():
        raise ValueError(f"{path} exists, or its folder does not. Name a new file.")
    return path


def _closed(folder: str) -> str:
    for path in Path(folder).rglob("*"):
        _inside(str(path))
    return folder


def _named(name: str) -> str:
    """Return the name of a judge or rubric; of a file the path.

    A ValueError where it lies outside the folder, or names further files: those may lie outside,
    and a metric may be a program.
    """
    if not name.endswith(".toml"):
        return name
    path = Path(_inside(name))
    definition = tomllib.loads(path.read_text(encoding="utf-8-sig")) if path.is_file() else ""
    if re.search(r'\.(toml|py)"', json.dumps(definition, default=str)):
        raise ValueError(f"{name} names another file. Leave that out.")
    return str(path)


Text = Annotated[str, Field(min_length=1, max_length=1_000)]
Texts = Annotated[list[Text], Field(max_length=100)]
Named = Annotated[Text, AfterValidator(_named)]
File = Annotated[str, Field(min_length=1, max_length=1_000), AfterValidator(_inside)]
NewFile = Annotated[File, AfterValidator(_new)]
Folder = Annotated[File, AfterValidator(_closed)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Share = Annotated[float, Field(ge=0, le=1)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Caveat(BaseModel):
    """What limits a result; `code` is stable where there is one."""

    code: str | None = None
    text: str


class Result(BaseModel, extra="allow"):
    """The finding first, then what limits it, then figures: value with its 95% CI, low to high.

    `not_shown` counts the rows that a table has beyond the first ones.
    """

    headline: str
    caveats: list[Caveat]
    not_shown: dict[str, int]


Reply = Annotated[CallToolResult, Result]


async def _command(verb: str, *files: str, **options: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the JSON of a command and its notes; a ToolError with what it says in refusal."""
    words = [
        f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}")
        for name, argument in options.items()
        for value in (argument if isinstance(argument, list) else [argument])
        if value is not None and value is not False
    ]
    done = await anyio.run_process(
        [sys.executable, "-m", "concord", verb, "--json", *words, "--", *files],
        stdin=subprocess.DEVNULL,
        check=False,
        cwd=ROOT,
        env=os.environ | {BOUND: "1"},
    )
    notes = done.stderr.decode(errors="replace").strip()
    if done.returncode not in (0, 1):
        raise ToolError(notes)
    return json.loads(done.stdout), notes.splitlines()


def _result(keys: str, document: dict[str, Any], notes: list[str]) -> CallToolResult:
    """Return the headline and caveats of a command's JSON, and what it has under the keys."""
    coded = document.get("caveats", [])
    known = [caveat["text"] for caveat in coded]
    lines = "\n".join([*document.get("summary", ()), *notes]).splitlines()
    sentences = [line for line in lines if line not in known]
    tables = {key: rows for key, rows in document.items() if rows and isinstance(rows, list)}
    counts = [f"{key}: {len(rows)}" for key, rows in tables.items()]
    headline = document.get("headline")
    if not isinstance(headline, str):
        headline = next(iter(sentences + counts), "")
    caveats = coded + [{"text": text} for text in sentences if text != headline]
    not_shown: dict[str, int] = {}
    kept = _shortened(document, {*keys.split(","), *FIGURE}, not_shown)
    first = {"headline": headline, "caveats": caveats[:ROWS], "not_shown": not_shown}
    plain = Result(**kept | first).model_dump(exclude_none=True)
    text = json.dumps(plain, ensure_ascii=False)
    return CallToolResult(content=[TextContent(text=text)], structured_content=plain)


def _shortened(value: Any, keys: set[str], not_shown: dict[str, int], at: str = "") -> Any:
    """Return what is under the keys, with short tables, texts and numbers.

    A key is kept at every level; of an object that keys name with a dot, only those.
    """
    if isinstance(value, dict):
        kept = {}
        for key, inner in value.items():
            own = {name.removeprefix(f"{key}.") for name in keys if name.startswith(f"{key}.")}
            if (own or key in keys) and inner not in (None, "", [], {}):
                kept[key] = _shortened(inner, own | FIGURE if own else keys, not_shown, key)
        return kept if kept or not at else value  # counts by reason have no such keys
    if isinstance(value, list):
        if len(value) > ROWS:
            not_shown[at] = not_shown.get(at, 0) + len(value) - ROWS
        return [_shortened(row, keys, not_shown, at) for row in value[:ROWS]]
    if isinstance(value, str):
        return value[:LETTERS]
    return float(f"{value:.4g}") if isinstance(value, float) else value


AGREEMENT = (
    "rows,judge,criterion,n,questions,clusters,annotators,exact,kappa,qwk,failure_recall,"
    "failure_precision,failing,majority_baseline.exact,ceiling.n,ceiling.exact,ceiling.qwk,"
    "best_of.judges,best_of.tied,alerts,annotator,code"
)
DISAGREEMENTS = (
    "total,disagreements,key,item,judge,criterion,judge_score,judge_reason,annotator_score,"
    "annotators,annotator_reasons,points_apart,question_text,answer,cause"
)


async def calibrate(
    file: File,
    judge: Texts | None = None,
    human: Texts | None = None,
    by: Text | None = None,
    map: Texts | None = None,
    score: Texts | None = None,
    cut: Number | None = None,
    scale: Text | None = None,
    rubric: Named | None = None,
    partial: bool = False,
    worksheet: Text | None = None,
    exact: Share | None = None,
    failure_recall: Share | None = None,
    failure_precision: Share | None = None,
    html: NewFile | None = None,
) -> Reply:
    """Compare the judges in one file with its human annotators; nothing is stored.

    `judge` and `human` name columns where their names do not tell, `by` the column of the document
    or conversation that rows share, `score` maps a word (`good=1`), `map` a field
    (`question=Prompt`); a judge's numbers pass from `cut` on. `exact`, `failure_recall` and
    `failure_precision` are minima of lower confidence limits; `holds` says whether every judge
    reaches them. `html` writes a page.
    """
    options = locals()
    keys = f"{AGREEMENT},{DISAGREEMENTS},failing,tpr,tnr,more_questions,left_out,holds"
    return _result(keys, *await _command("calibrate", options.pop("file"), **options))


async def import_(
    files: Annotated[list[File], Field(min_length=1, max_length=100)],
    what: Literal["answers", "grades"] = "answers",
    sheet: Text | None = None,
    rubric: Named | None = None,
    map: Texts | None = None,
    score: Texts | None = None,
    scale: Text | None = None,
    worksheet: Text | None = None,
    number_answers: bool = False,
    as_proposed: bool = False,
    dry_run: bool = False,
    partial: bool = False,
) -> Reply:
    """Import answers as a sheet, or grades made elsewhere; who graded is what the file says.

    Begin with `dry_run`, which proposes how columns are mapped. `map` takes FIELD=COLUMN, and
    `score:annotator:NAME:CRITERION=COLUMN` or `score:judge:NAME:CRITERION=COLUMN` for grades. A
    file with one grade per row is imported with `what` "grades". A file with bad rows is refused;
    `partial` imports the others.
    """
    options = locals()
    verb = "grades" if options.pop("what") == "grades" else "import"
    keys = (
        "sheets,sheet,rubric,items,items_unchanged,grades,grades_unchanged,bad_rows,faults,code,"
        "problem,column,count,conflicts,rows,map,proposal,undecided,values,judges,metrics"
    )
    return _result(keys, *await _command(verb, *options.pop("files"), **options))


async def sheets(sheet: Text | None = None) -> Reply:
    """List the imported sheets: how many questions and answers, and of which answering models."""
    keys = "sheets,name,items,questions,answer_models,imported_at"
    return _result(keys, *await _command("sheets", sheet=sheet))


async def rubric(sheet: Text | None = None) -> Reply:
    """Show the rubrics a sheet is graded under, with their criteria and scores; else list all."""
    keys = "rubrics,name,title,scale"
    if sheet:
        keys += ",criteria,question,levels,score,label,meaning,weight,fails_at"
    return _result(keys, *await _command("rubrics", sheet=sheet))


async def sample(
    draw: Count,
    sheet: Text | None = None,
    name: Text | None = None,
    rubric: Named | None = None,
    criterion: Text | None = None,
    enrich: Share = 0,
    seed: int = 1,
    yes: bool = False,
) -> Reply:
    """Sample the next `draw` questions as a grading set, and return the link for annotators.

    `enrich` is the share of questions with a suspected failure; all figures are weighted for it.
    `yes` confirms what a refusal asks. Only people grade, by the link.
    """
    document, notes = await _command("plan", **locals())
    address = os.environ.get("CONCORD_URL", "http://localhost:8501")
    drawn = document["drawn"] | {"summary": document["summary"]}
    drawn["link"] = f"{address}/grade?view=grader&set={drawn['id']}"
    notes.append("The link opens while `concord app` runs; it prints its address.")
    return _result("set,questions,answers,seed,enriched,link", drawn, notes)


async def estimate(
    judge: Named,
    sheet: Text | None = None,
    rubric: Named | None = None,
    limit: Count | None = None,
    repeat: Count | None = None,
) -> Reply:
    """Estimate requests, tokens and cost in USD, low to high, of a run; nothing is sent.

    `judge` is a name or a judge file (.toml), `limit` the first answers only, `repeat` the replies
    per answer.
    """
    return _result(
        "runs,judge,status,estimate,calls,new,cached,tokens_in,tokens_out,cost_usd,price_date",
        *await _command("judge", **locals(), estimate=True),
    )


async def run(
    judge: Named,
    budget: Dollars,
    sheet: Text | None = None,
    rubric: Named | None = None,
    limit: Count | None = None,
    repeat: Count | None = None,
    retry_unscored: bool = False,
) -> Reply:
    """Run a judge on a sheet within a budget in USD that the user named.

    Refused, with nothing sent, where the upper estimate exceeds the budget. A run that was
    cancelled or killed goes on where it stopped when it is called again.
    """
    options = locals()
    document, _ = await _command("judge", **options, estimate=True)
    for expected in document["runs"]:
        if expected["estimate"]["cost_usd"][1] > budget:
            raise ToolError(f"{expected['said']} That is above the budget; nothing was sent.")
    keys = "runs,judge,status,failed,counts,total,done,before,calls,cost,unpriced,lost,troubles"
    return _result(keys, *await _command("judge", **options, yes=True))


async def agreement(
    sheet: Text | None = None,
    rubric: Named | None = None,
    reference: Literal["each", "consensus"] = "each",
    annotators: Texts | None = None,
) -> Reply:
    """Report each judge's agreement with the annotators, by criterion.

    Beside it stand the majority-class baseline and the ceiling, the agreement of annotators with
    one another.
    """
    return _result(AGREEMENT, *await _command("agreement", **locals()))


async def disagreements(
    sheet: Text | None = None,
    rubric: Named | None = None,
    judge: Text | None = None,
    criterion: Text | None = None,
    limit: Annotated[int, Field(ge=1, le=ROWS)] = 10,
    by: Text | None = None,
) -> Reply:
    """List where judges and annotators differ, the largest differences first.

    `by` is the person who reads the list: their later grades of these answers are not blind.
    """
    return _result(DISAGREEMENTS, *await _command("disagreements", **locals()))


async def compare(
    judge: Texts | None = None,
    against: Text | None = None,
    criterion: Text | None = None,
    reference: Literal["each", "consensus"] = "each",
    sheet: Text | None = None,
    rubric: Named | None = None,
    annotators: Texts | None = None,
) -> Reply:
    """Compare prompts, models and scales of judges on the answers that each of them scored."""
    return _result(
        "target,base,n,questions,clusters,variants,variant,graded,mae,bias,own,exact,qwk,"
        "failure_recall,paired,metric,difference,test,p_value,not_compared,ceiling",
        *await _command("compare", **locals()),
    )


async def choose(
    against: Text,
    figure: Text | None = None,
    margin: Number | None = None,
    minimum: Number | None = None,
    failure_recall: Share | None = None,
    failure_precision: Share | None = None,
    planned_questions: Count | None = None,
    criterion: Text | None = None,
    sheet: Text | None = None,
    rubric: Named | None = None,
    annotators: Texts | None = None,
    fix: bool = False,
    holds: bool = False,
) -> Reply:
    """Find the cheapest judge that is good enough compared with the reference judge `against`.

    Its terms are stored before the result is shown, and are final: agree on margin and minima with
    the user first; `fix` stores them alone. Each analysis of new grades is an interim look, of four
    at most. `holds` adds a sensitivity analysis.
    """
    return _result(
        "decision,verdict,winner,about,criterion,figure,margin,minimum,failure_recall,"
        "failure_precision,looks,confirmatory,changed_terms,more_labels,more_questions,judges,judge,"
        "is_reference,value,difference,why,cost_per_1000,holds,same,of",
        *await _command("choose", **locals()),
    )


async def certificate(
    judge: Named,
    file: NewFile,
    criterion: Texts | None = None,
    days: Count = 90,
    sheet: Text | None = None,
    rubric: Named | None = None,
    annotators: Texts | None = None,
) -> Reply:
    """Certify a judge on its confirmatory looks, and write the certificate to a new file (.json).

    To open held-out questions is left to a person.
    """
    options = locals()
    document, notes = await _command("certificate", **options | {"file": None})
    Path(file).write_text(json.dumps(document, ensure_ascii=False, indent=2), encoding="utf-8")
    summary = [document["sentence"], *document["remarks"], *document["does_not_show"]]
    keys = "certified,verdict,why_not,criteria,expires_at,digest"
    return _result(keys, document | {"summary": summary}, notes)


async def verify(file: File, export: Folder) -> Reply:
    """Recompute a certificate from the folder that `concord export DIR --all` wrote."""
    keys = "holds,unchanged,certified,criteria,differences,figure,found,figures"
    return _result(keys, *await _command("verify", file, **{"from": export}))


TOOLS = (
    *(calibrate, import_, sheets, rubric, sample, estimate, run),
    *(agreement, disagreements, compare, choose, certificate, verify),
)
READ_ONLY = (sheets, rubric, estimate, agreement, compare, verify)


def serve(db: str | None) -> None:
    """Offer the tools until standard input ends; an argument that a tool lacks is refused."""
    os.environ["CONCORD_DB"] = str(Path(db or default_path()).resolve())
    tools = []
    for function in TOOLS:
        hints = ToolAnnotations(read_only_hint=function in READ_ONLY, destructive_hint=False)
        tool = Tool.from_function(function, function.__name__.strip("_"), annotations=hints)
        arguments = tool.fn_metadata.arg_model
        arguments.model_config["extra"] = "forbid"
        arguments.model_rebuild(force=True)
        tool.parameters = arguments.model_json_schema(by_alias=True)
        tools.append(tool)
    MCPServer("concord", instructions=concord.mcp.__doc__, tools=tools).run()
