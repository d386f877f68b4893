-- The tables that a database began with: step 1 of migrations.py. Never edit it.
create table sheets (
    id integer primary key,
    name text not null unique,
    source_name text not null,
    sha256 text not null,
    imported_at text not null,
    column_map text not null
);
create table imports (                 -- every file that was taken in, of answers or of grades
    id integer primary key,
    sheet_id integer not null references sheets on delete cascade,
    kind text not null check (kind in ('sheet', 'grades')),
    source_name text not null,
    sha256 text not null,
    column_map text not null,
    encoding text,
    counts text not null,
    imported_at text not null
);
create table removed_sheets (
    id integer primary key, name text not null, sha256 text not null, removed_at text not null
);

create table questions (
    id integer primary key,
    sheet_id integer not null references sheets on delete cascade,
    key text not null,                 -- the sheet's own id, else the text's hash
    own_id text,
    text text not null,
    text_hash text not null,           -- not unique: links questions across sheets
    cluster text,
    unique (sheet_id, key)
);
create index questions_by_text on questions (text_hash);
create index questions_by_cluster on questions (sheet_id, cluster);

create table question_roles (
    id integer primary key,
    question_id integer not null references questions on delete cascade,
    role text not null check (role in ('examples', 'evaluation', 'sealed')),
    why text not null,
    created_at text not null
);
create index question_roles_by_question on question_roles (question_id, id);

create table items (
    id integer primary key,
    sheet_id integer not null references sheets on delete cascade,
    question_id integer not null references questions on delete cascade,
    own_id text,
    identity text not null,
    content_hash text not null,
    contexts text not null,            -- JSON list of {id, doc_id, text, rank}
    answer text not null,
    answer_model text,
    reference text not null,           -- JSON list
    reference_contexts text not null,  -- JSON list
    turns text,                        -- JSON, for conversations
    synthetic integer not null default 0,
    metadata text not null,            -- JSON object
    unique (sheet_id, identity)
);
create index items_by_question on items (question_id);
create index items_by_content on items (content_hash);
create index items_by_model on items (sheet_id, answer_model);

create table criteria (                -- criterion versions
    version text primary key,
    name text not null,
    body text not null,
    created_at text not null
);
create table rubrics (
    id integer primary key,
    name text not null,
    digest text not null,
    body text not null,
    source text not null,              -- preset, file or app
    created_at text not null,
    unique (name, digest)
);
create table carried_versions (        -- a wording-only edit whose grades count under the new words
    id integer primary key,
    old_version text not null references criteria (version),
    new_version text not null references criteria (version),
    why text not null,
    created_at text not null,
    unique (old_version, new_version)
);

create table graders (
    id integer primary key,
    kind text not null check (kind in ('person', 'judge', 'metric')),
    name text not null,
    fingerprint text not null default '',
    definition text not null default '{}',
    simulated integer not null default 0,
    login text,
    merged_into integer references graders,
    created_at text not null,
    unique (kind, name, fingerprint)
);

create table grading_sets (
    id integer primary key,
    sheet_id integer not null references sheets on delete cascade,
    rubric_id integer not null references rubrics,
    name text not null,
    kind text not null check (kind in ('draw', 'whole')),
    seed integer not null,
    questions integer not null,
    block_size integer not null,
    repeat_share real not null,
    strata text not null,              -- JSON: stratum -> drawn of how many questions
    created_at text not null,
    unique (sheet_id, name)
);
create table grading_set_items (
    set_id integer not null references grading_sets on delete cascade,
    item_id integer not null references items on delete cascade,
    block integer not null,
    position integer not null,
    inclusion_probability real not null,
    primary key (set_id, item_id)
) without rowid;
create index grading_set_items_by_block on grading_set_items (set_id, block, position);
create table assignments (
    id integer primary key,
    set_id integer not null references grading_sets on delete cascade,
    item_id integer not null references items on delete cascade,
    grader_id integer not null references graders,
    block integer not null,
    position integer not null,
    repeat integer not null default 1, -- 2: a hidden repeat
    inclusion_probability real not null,
    created_at text not null,
    unique (set_id, grader_id, item_id, repeat),
    unique (set_id, grader_id, position)
);

create table units (
    id integer primary key,
    item_id integer not null references items on delete cascade,
    kind text not null,
    text text not null,
    position integer not null,
    parent_id integer references units,
    supersedes integer references units,
    decomposer_id integer references graders,
    approved_by integer references graders,
    created_at text not null
);
create index units_by_item on units (item_id, kind);

create table runs (
    id integer primary key,
    grader_id integer not null references graders,
    sheet_id integer not null references sheets on delete cascade,
    rubric_id integer references rubrics,
    scope text not null,               -- JSON: which items, limit, repeats
    examples text not null,            -- JSON list of the example items' ids
    estimate text not null,            -- JSON
    budget real,
    status text not null,              -- running, done, stopped, failed
    message text not null default '',
    counts text not null default '{}', -- JSON
    stop_requested integer not null default 0,
    pid integer,
    started_at text not null,
    heartbeat_at text not null,
    finished_at text
);
create index runs_by_sheet on runs (sheet_id, grader_id);

create table grades (
    id integer primary key,
    item_id integer not null references items on delete cascade,
    unit_id integer references units on delete cascade,
    version text not null references criteria (version),
    grader_id integer not null references graders,
    status text not null check (status in (
        'scored', 'cannot_grade', 'not_applicable', 'missing_input', 'refused', 'unparsable',
        'truncated', 'too_long', 'failed', 'withdrawn')),
    score real,
    label text,
    reason text not null default '',
    seconds real,
    run_id integer references runs on delete set null,
    repeat integer not null default 1,
    blind integer check (blind in (0, 1)),
    supersedes integer unique references grades,
    why text not null default '',
    press_id text unique,
    created_at text not null,
    check (status = 'scored' or (score is null and label is null)),
    check (status <> 'scored' or score is not null or label is not null)
);
create unique index grades_begin_once
    on grades (item_id, coalesce(unit_id, 0), version, grader_id, repeat)
    where supersedes is null;
create index grades_by_grader on grades (grader_id, version, item_id);
create index grades_by_item on grades (item_id, version);
create index grades_by_version on grades (version, item_id);

create table openings (                -- a grader looked at what judges said of an item
    id integer primary key,
    item_id integer not null references items on delete cascade,
    grader_id integer not null references graders,
    opened_at text not null
);
create index openings_by_grader on openings (grader_id, item_id);

create table replies (
    id integer primary key,
    run_id integer references runs on delete set null,
    grader_id integer not null references graders,
    item_id integer not null references items on delete cascade,
    content_hash text not null,
    part text not null,
    repeat integer not null,
    attempt integer not null,
    request text not null,
    raw text not null,
    status text not null,
    finish_reason text,
    tokens_in integer,
    tokens_out integer,
    tokens_cached integer,
    price text,                        -- JSON: USD per million tokens as used
    price_date text,
    cost real,                         -- USD; null is unknown
    latency real,
    model text,
    system_fingerprint text,
    created_at text not null
);
create unique index replies_good_once on replies (grader_id, content_hash, part, repeat)
    where status = 'scored';
create index replies_by_item on replies (item_id, grader_id);
create index replies_by_run on replies (run_id);

create table adjudications (
    id integer primary key,
    item_id integer not null references items on delete cascade,
    unit_id integer references units on delete cascade,
    version text not null references criteria (version),
    score real,
    cause text not null default '',
    triggered_by text not null,        -- people, draw or judge
    grade_ids text not null default '[]',
    blind integer not null,
    grader_id integer references graders,
    note text not null default '',
    created_at text not null
);
create index adjudications_by_item on adjudications (item_id, version);

create table decisions (
    id integer primary key,
    sheet_id integer not null references sheets on delete cascade,
    rubric_id integer references rubrics,
    criterion text not null,
    metric text not null,
    margin real not null,
    minimum real,
    caught_minimum real,
    against text not null,
    fixed_after_sight integer not null,
    created_at text not null
);
create table looks (
    id integer primary key,
    decision_id integer not null references decisions on delete cascade,
    grades_digest text not null,
    result text not null,              -- JSON
    created_at text not null
);
create table certificates (
    id integer primary key,
    decision_id integer references decisions on delete cascade,
    sheet_id integer references sheets on delete cascade,
    grader_id integer references graders,
    body text not null,                -- JSON
    created_at text not null,
    expires_at text
);
