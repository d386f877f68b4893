"""Schema of the database: the first tables, and numbered steps that are only ever added to.

A new database begins with the first tables, at `user_version` FIRST_VERSION; each step brings it to
the next. A released step is never edited: there are databases with grades under it. Rows of raw
facts (grades, replies, roles, adjudications, looks) are append-only; a change is a new row that
names the one it supersedes.
"""

from pathlib import Path

FIRST = (Path(__file__).parent / "first_tables.sql").read_text(encoding="utf-8")
FIRST_VERSION = 19

TRACED = """
alter table sheets add column undone_import integer references imports on delete cascade;
alter table sheets add column emptied integer not null default 0 check (emptied in (0, 1));
alter table sheets add column moves integer not null default 0;  -- undone imports, and their return
alter table grading_sets add column kept_for integer references grading_sets on delete cascade;
alter table grading_sets add column emptied integer not null default 0 check (emptied in (0, 1));
alter table imports add column traced integer not null default 0;  -- 0: older than these tables
alter table imports add column undone_at text;
alter table imports add column undone_by text;
create table import_items (            -- which answers a file holds
    import_id integer not null references imports on delete cascade,
    item_id integer not null references items on delete cascade,
    brought integer not null check (brought in (0, 1)),  -- 0: it was stored already
    told text,                         -- JSON: extra field -> 1 if this file brought it, else 0
    primary key (import_id, item_id)
) without rowid;
create index import_items_by_item on import_items (item_id);
create table import_grades (           -- which grades a file holds
    import_id integer not null references imports on delete cascade,
    grade_id integer not null references grades on delete cascade,
    brought integer not null check (brought in (0, 1)),
    primary key (import_id, grade_id)
) without rowid;
create index import_grades_by_grade on import_grades (grade_id);
"""

# Rows come in with `items.add`: a trigger for each would take as long as the answer itself.
SEARCHED = """
create table answer_texts (            -- what of each answer is searched, without its contexts
    item_id integer primary key references items on delete cascade,
    sheet_id integer not null,
    question_id integer not null,
    own_id text,
    answer_model text,
    answer text not null,
    length integer not null,           -- characters of the answer
    metadata text not null
);
insert into answer_texts select id, sheet_id, question_id, own_id, answer_model, answer,
    length(answer), metadata from items;
create index answer_texts_by_sheet on answer_texts (sheet_id);
create trigger answer_texts_of_changed
    after update of sheet_id, question_id, own_id, answer_model, answer, metadata on items begin
    update answer_texts set sheet_id = new.sheet_id, question_id = new.question_id,
        own_id = new.own_id, answer_model = new.answer_model, answer = new.answer,
        length = length(new.answer), metadata = new.metadata
    where item_id = new.id;
end;
"""

ROWS = """
alter table import_items add column row integer;  -- of the file, from 1 below its head; null: older
"""

ACCEPTED = """
alter table graders add column accepted integer not null default 1 check (accepted in (0, 1));
"""

# Whether an answer is graded is then read from the index alone (`answer_search`).
GRADED = """
drop index grades_by_item;
create index grades_by_item on grades (item_id, version, grader_id, status);
"""

PROCEDURES = """
alter table decisions add column failure_precision real;
alter table decisions add column planned_questions integer;  -- null: older
alter table decisions add column procedure text not null default 'simultaneous';
alter table decisions add column annotators text;  -- JSON: their ids; null: by the first look
"""

# Filters and orders by question, model and length are then read from the index alone.
NARROW = """
drop index answer_texts_by_sheet;
create index answer_texts_by_sheet on answer_texts
    (sheet_id, question_id, answer_model, length);
"""

PAUSED = """
create table pauses (                  -- append-only: an annotator waits, or grades again
    id integer primary key,
    grader_id integer not null references graders,
    paused integer not null check (paused in (0, 1)),
    why text not null default '',
    given_by text not null,
    created_at text not null
);
create index pauses_by_grader on pauses (grader_id, id);
"""

# A flag, a reply and a correction are of one annotator and one place; those before are of training.
REMARKS = """
alter table comments add column kind text not null default 'training'
    check (kind in ('training', 'flag', 'reply', 'correction'));
alter table comments add column repeat integer not null default 1;
"""

# What a report reads of a grade is then read from the index alone (`grade_table`).
COVERED = """
drop index grades_by_version;
create index grades_by_version on grades
    (version, item_id, grader_id, status, score, repeat, blind, unit_id);
"""

DISTRIBUTIONS = """
create table distributions (           -- probability of each score, as a judge returned it
    grade_id integer primary key references grades on delete cascade,
    source text not null check (source in ('native', 'logprobs', 'stated', 'imported')),
    probabilities text not null,       -- JSON: score -> probability; need not sum to 1
    outside real check (coalesce(outside between 0 and 1, 1))  -- mass on no score; null: unknown
);
"""

DELEGATED = """
create table adjudication_assignments (   -- append-only: who adjudicates a criterion of an answer
    id integer primary key,
    item_id integer not null references items on delete cascade,
    version text not null references criteria (version),
    grader_id integer not null references graders,
    assigned integer not null check (assigned in (0, 1)),  -- 0: withdrawn
    given_by text not null,
    created_at text not null
);
create index adjudication_assignments_by_item on adjudication_assignments
    (grader_id, item_id, version, id);
"""

TRANSLATED = """
alter table grades add column rubric_language text not null default '';  -- '': as it was written
"""

MARKED = """
alter table grades add column marked_passages text not null default '';  -- JSON; '': see `quote`
"""

STATES = """
create table annotator_states (        -- append-only: whose grades of a sheet count; see the module
    id integer primary key,
    sheet_id integer not null references sheets on delete cascade,
    grader_id integer not null references graders,
    state text not null check (state in ('included', 'excluded')),
    alert integer not null check (alert in (0, 1)),  -- one on the annotator was open
    why text not null,
    given_by text not null,
    created_at text not null
);
create index annotator_states_by_sheet on annotator_states (sheet_id, id);
alter table looks add column annotators text not null default '[]';  -- JSON: ids, those included
alter table decisions drop column procedure;
"""

STEPS = (
    *(TRACED, SEARCHED, ROWS, ACCEPTED, GRADED, PROCEDURES, NARROW, PAUSED, REMARKS, COVERED),
    *(DISTRIBUTIONS, DELEGATED, TRANSLATED, MARKED, STATES),
)
