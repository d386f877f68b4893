-- The tables. `user_version` of a database holds the digest of this text. Rows of raw facts (grades,
-- replies, roles, adjudications, looks) are append-only; a change is a new row that names the one it
-- supersedes.

create table sheets (
    id integer primary key,
    name text not null unique,
    source_name text not null,
    sha256 text not null,
    imported_at text not null,
    column_map text not null,
    undone_import integer references imports on delete cascade,
    emptied integer not null default 0 check (emptied in (0, 1)),
    moves integer not null default 0  -- undone imports, and their return
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
    imported_at text not null,
    undone_at text,
    undone_by text
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
create index items_synthetic on items (sheet_id) where synthetic = 1;

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
    accepted integer not null default 1 check (accepted in (0, 1)),
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
create index grading_set_items_by_item on grading_set_items (item_id);

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
create index assignments_by_item on assignments (item_id);

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

create table runs (                    -- of a judge on a sheet, or of an asker that grades nothing
    id integer primary key,
    grader_id integer references graders,
    sheet_id integer references sheets on delete cascade,
    rubric_id integer references rubrics,
    scope text not null,
    examples text not null,
    estimate text not null,
    budget real,
    status text not null,
    message text not null default '',
    counts text not null default '{}',
    stop_requested integer not null default 0,
    pid integer,
    started_at text not null,
    heartbeat_at text not null,
    finished_at text,
    asker text,                        -- as of asked
    sheet_name text,                   -- of the sheet that is being built
    check ((grader_id is null) = (sheet_id is null)),
    check ((asker is null) = (sheet_name is null)),
    check ((asker is null) <> (grader_id is null))
);
create index runs_by_sheet on runs (sheet_id, grader_id);
create index runs_by_asker on runs (asker, sheet_name) where asker is not null;

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
    quote text not null default '',
    rubric_language text not null default '',  -- '': as it was written
    marked_passages text not null default '',  -- JSON; '': see `quote`
    check (status = 'scored' or (score is null and label is null)),
    check (status <> 'scored' or score is not null or label is not null),
    constraint is_sound check (
        typeof(score) in ('null', 'real')
        and coalesce(abs(score) <= 1.7976931348623157e308, 1)
        and typeof(seconds) in ('null', 'real')
        and coalesce(seconds between 0 and 31536000, 1)
        and typeof(repeat) = 'integer' and repeat >= 1
        and typeof(label) in ('null', 'text') and typeof(reason) = 'text'
        and typeof(quote) = 'text' and typeof(why) = 'text'
        and typeof(press_id) in ('null', 'text')
        and coalesce(length(press_id) between 1 and 64, 1)
    )
);
create unique index grades_begin_once
    on grades (item_id, coalesce(unit_id, 0), version, grader_id, repeat)
    where supersedes is null;
create index grades_by_grader on grades (grader_id, version, item_id);
create index grades_by_item on grades (item_id, version, grader_id, status);
create index grades_by_version on grades
    (version, item_id, grader_id, status, score, repeat, blind, unit_id);
create index grades_by_unit on grades (unit_id) where unit_id is not null;

create table openings (                -- of answers, by graders who may be unknown
    id integer primary key,
    item_id integer not null references items on delete cascade,
    grader_id integer references graders,
    opened_at text not null
);
create index openings_by_grader on openings (grader_id, item_id);
create index openings_by_item on openings (item_id);

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
create index replies_by_answering on replies
    (grader_id, status, run_id, model, system_fingerprint, created_at);
create index replies_by_part on replies (grader_id, part, repeat)
    where status = 'scored' and length(part) = 16;

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
    figure text not null,
    margin real not null,
    minimum real,
    failure_recall real,
    failure_precision real,
    against text not null,
    fixed_after_sight integer not null,
    created_at text not null,
    planned_questions integer not null,
    annotators text                    -- JSON: their ids; null: by the first look
);

create table looks (
    id integer primary key,
    decision_id integer not null references decisions on delete cascade,
    grades_digest text not null,
    result text not null,              -- JSON
    created_at text not null,
    annotators text not null default '[]'  -- JSON: ids, those included
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

create table settings (name text primary key, value text not null) without rowid;
insert into settings (name, value) values ('identity', lower(hex(randomblob(16))));

create table sealed_openings (         -- a certificate reads what was sealed
    id integer primary key,
    sheet_id integer not null references sheets on delete cascade,
    purpose text not null,
    who text not null,
    decision_id integer references decisions on delete set null,
    certificate_id integer references certificates on delete set null,
    created_at text not null
);

create table sealed_opening_questions (
    opening_id integer not null references sealed_openings on delete cascade,
    question_id integer not null references questions on delete cascade,
    primary key (opening_id, question_id)
) without rowid;
create index sealed_opening_questions_by_question on sealed_opening_questions (question_id);

create table draw_probabilities (      -- of a draw with unequal chances: also what was not drawn
    set_id integer not null references grading_sets on delete cascade,
    item_id integer not null references items on delete cascade,
    probability real not null check (probability between 0 and 1),
    primary key (set_id, item_id)
) without rowid;
create index draw_probabilities_by_item on draw_probabilities (item_id);

create table batches (                 -- questions handed to a provider to answer within a day
    id integer primary key,
    sheet_id integer not null references sheets on delete cascade,
    grader_id integer not null references graders on delete cascade,
    rubric_id integer references rubrics,
    token text not null unique,        -- sent along, so that a batch is found again
    scope text not null,               -- JSON, as of runs
    estimate text not null,            -- JSON
    budget real,
    questions integer not null,
    file_id text,                      -- the provider's, once it was uploaded
    remote_id text,                    -- the provider's, once it was made
    status text not null,              -- unsent, then as the provider calls it
    told text not null default '{}',   -- JSON: the provider's last word
    message text not null default '',
    created_at text not null,
    asked_at text not null,            -- when the provider was last asked
    closed_at text                     -- null: its questions are in flight
);
create index batches_by_judge on batches (grader_id, closed_at);

create table batch_questions (         -- what an open batch still owes
    batch_id integer not null references batches on delete cascade,
    custom_id text not null,
    content_hash text not null,
    part text not null,
    repeat integer not null,
    request text not null,
    primary key (batch_id, custom_id)
) without rowid;

create table asked (                   -- replies to requests that are no judgements
    id integer primary key,
    purpose text not null check (purpose in ('drafts', 'answers')),
    asker text not null,               -- hash of purpose, endpoint, headers and model
    digest text not null,              -- hash of the asker and the whole request
    attempt integer not null,
    request text not null,
    raw text not null,
    status text not null,              -- good, or why it is not
    why text not null default '',
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
create unique index asked_good_once on asked (digest) where status = 'good';
create index asked_by_asker on asked (asker, digest);

create table documents (               -- what questions are drafted from
    id integer primary key,
    sheet_name text not null,          -- of the sheet that is being built
    name text not null,
    text text not null,
    text_sha256 text not null,
    added_at text not null,
    unique (sheet_name, text_sha256)
);

create table drafts (
    id integer primary key,
    document_id integer not null references documents on delete cascade,
    asked_id integer not null references asked on delete cascade,
    number integer not null,           -- which of the drafts in that reply
    model text not null,
    question text not null,
    reference text not null,
    quote text not null,
    fault text not null default '',    -- why no person is asked about it
    created_at text not null,
    unique (document_id, asked_id, number)
);

create table draft_decisions (         -- append-only; the last one counts
    id integer primary key,
    draft_id integer not null references drafts on delete cascade,
    decision text not null check (decision in ('approved', 'rejected')),
    question text not null,
    reference text not null,
    quote text not null,
    why text not null default '',
    who text not null,
    created_at text not null
);
create index draft_decisions_by_draft on draft_decisions (draft_id, id);

create table decompositions (          -- what an item was cut into; the newest of a kind counts
    id integer primary key,
    item_id integer not null references items on delete cascade,
    kind text not null,
    decomposer_id integer references graders,  -- null: by a rule
    supersedes integer unique references decompositions on delete cascade,
    why text not null default '',
    created_at text not null
);
create unique index decompositions_begin_once on decompositions (item_id, kind)
    where supersedes is null;

create table decomposition_units (
    decomposition_id integer not null references decompositions on delete cascade,
    place integer not null,
    unit_id integer not null references units on delete cascade,
    primary key (decomposition_id, place)
) without rowid;
create index decomposition_units_by_unit on decomposition_units (unit_id);

create table decomposition_approvals (
    decomposition_id integer not null references decompositions on delete cascade,
    grader_id integer not null references graders,
    approved_at text not null,
    primary key (decomposition_id, grader_id)
) without rowid;

create table open_questions (          -- questions of a file, for models to answer
    id integer primary key,
    sheet_name text not null,          -- of the sheet that is being built
    key text not null,                 -- as of questions
    body text not null,                -- JSON
    source_name text not null,
    added_at text not null,
    unique (sheet_name, key)
);

create table measured (                -- what a measure says beside its number
    grade_id integer primary key references grades on delete cascade,
    parts text not null,               -- JSON: name -> number, or null
    flags text not null,               -- JSON list of words
    units integer not null,            -- how many the number rests on
    lists text not null                -- JSON list of the decompositions it rests on
);

create table vectors (                 -- of texts, by embedding models
    embedding text not null,           -- hash of the model and its address
    digest text not null,              -- SHA-256 of the text
    vector blob not null,              -- float32, little-endian
    created_at text not null,
    primary key (embedding, digest)
) without rowid;

create table list_checks (             -- which list of units a person's check was said of
    grade_id integer primary key references grades on delete cascade,
    decomposition_id integer not null references decompositions on delete cascade
);
create index list_checks_by_list on list_checks (decomposition_id);

create table members (                 -- who may sign in, by the name a provider or a link gives
    id integer primary key,
    name text not null unique,
    grader_id integer references graders,
    made_by text not null,
    created_at text not null
);

create table member_roles (            -- append-only; the newest counts, 'none' shuts the door
    id integer primary key,
    member_id integer not null references members,
    role text not null check (role in ('grader', 'lead', 'viewer', 'none')),
    given_by text not null,
    created_at text not null
);
create index member_roles_by_member on member_roles (member_id, id);

create table set_graders (             -- append-only: who grades a set, or grades it no more
    id integer primary key,
    set_id integer not null references grading_sets on delete cascade,
    grader_id integer not null references graders,
    joins integer not null check (joins in (0, 1)),
    why text not null default '',
    given_by text not null,
    created_at text not null
);
create index set_graders_by_grader on set_graders (grader_id, set_id, id);

create table invitations (             -- links that let one member in
    id integer primary key,
    member_id integer not null references members,
    secret_hash text not null unique,  -- SHA-256 of 32 random bytes, which nobody keeps
    expires_at text not null,
    withdrawn_at text,
    made_by text not null,
    created_at text not null
);

create table sessions (                -- browsers that were let in
    id integer primary key,
    member_id integer not null references members,
    secret_hash text not null unique,
    began_at text not null,
    expires_at text not null,
    ended_at text,
    used_at text                       -- about when; null until it is used for a while
);

create table sign_ins (                -- tries to be let in, by the address they came from
    id integer primary key,
    address text not null,
    let_in integer not null,
    created_at text not null
);
create index sign_ins_by_address on sign_ins (address, created_at);

create table changes (                 -- what signed-in leads changed
    id integer primary key,
    who text not null,
    what text not null,
    table_name text not null,
    row_id integer,
    at text not null
);

create table campaigns (               -- a grading set whose blocks are shared out among people
    id integer primary key,
    set_id integer not null unique references grading_sets on delete cascade,
    people_per_answer integer not null check (people_per_answer >= 1),
    shared real not null check (shared between 0 and 1),
    deadline text,                     -- a date
    made_by text not null,
    created_at text not null
);

create table block_moves (             -- append-only: who has a seat at a block; the newest counts
    id integer primary key,
    set_id integer not null references grading_sets on delete cascade,
    block integer not null,
    seat integer not null,
    grader_id integer references graders,
    why text not null default '',
    given_by text not null,
    created_at text not null
);
create index block_moves_by_set on block_moves (set_id, block, seat, id);

create table packs (                   -- one grader's work in a set, as a file
    id integer primary key,
    set_id integer not null references grading_sets on delete cascade,
    grader_id integer not null references graders,
    token text not null unique,        -- what the row codes of its files begin with
    made_by text not null,
    created_at text not null,
    rubric_id integer not null references rubrics
);
create index packs_by_set on packs (set_id);

create table pack_keys (               -- what row codes are hashed with; in no file, no export
    pack_id integer primary key references packs on delete cascade,
    secret text not null
);

create table pack_rows (
    pack_id integer not null references packs on delete cascade,
    place integer not null,
    item_id integer references items on delete set null,
    repeat integer not null,
    texts text not null,               -- JSON: digest of each text as it was sent
    primary key (pack_id, place)
) without rowid;
create index pack_rows_by_item on pack_rows (item_id);

create table pack_grades (             -- which pack a grade came back in
    grade_id integer primary key references grades on delete cascade,
    pack_id integer not null references packs on delete cascade
);
create index pack_grades_by_pack on pack_grades (pack_id);

create table practice_answers (        -- append-only; of a set and answer the newest row counts
    id integer primary key,
    set_id integer not null references grading_sets on delete cascade,
    item_id integer not null references items on delete cascade,
    versions text not null,            -- JSON list: the criterion versions that were agreed on
    is_in integer not null check (is_in in (0, 1)),
    given_by text not null,
    created_at text not null
);
create index practice_answers_by_set on practice_answers (set_id, item_id, id);
create index practice_answers_by_item on practice_answers (item_id);

create table gold_answers (            -- append-only; the newest of set, answer, version counts
    id integer primary key,
    set_id integer not null references grading_sets on delete cascade,
    item_id integer not null references items on delete cascade,
    version text not null references criteria (version),
    score real not null,
    why text not null default '',
    is_in integer not null check (is_in in (0, 1)),
    given_by text not null,
    created_at text not null
);
create index gold_answers_by_set on gold_answers (set_id, item_id, version, id);
create index gold_answers_by_item on gold_answers (item_id);

create table comments (                -- what people say of an answer
    id integer primary key,
    set_id integer not null references grading_sets on delete cascade,
    item_id integer not null references items on delete cascade,
    grader_id integer references graders,
    said_by text not null,
    text text not null,
    press_id text unique,
    created_at text not null,
    kind text not null default 'training'
        check (kind in ('training', 'flag', 'reply', 'correction')),
    repeat integer not null default 1
);
create index comments_by_item on comments (item_id, set_id, id);

create table set_closings (            -- append-only: sets closed or opened; the newest counts
    id integer primary key,
    set_id integer not null references grading_sets on delete cascade,
    closed integer not null check (closed in (0, 1)),
    versions text not null,            -- JSON list: the criterion versions that it is of
    given_by text not null,
    created_at text not null
);
create index set_closings_by_set on set_closings (set_id, id);

create table regrade_requests (        -- grades that are to be given again under a new version
    id integer primary key,
    set_id integer not null references grading_sets on delete cascade,
    grade_id integer not null references grades on delete cascade,
    item_id integer not null references items on delete cascade,
    grader_id integer not null references graders,
    version text not null references criteria (version),
    asked_by text not null,
    created_at text not null,
    unique (grade_id, version)
);
create index regrade_requests_by_set on regrade_requests (set_id, grader_id);
create index regrade_requests_by_version on regrade_requests (version);

create table import_items (            -- which answers a file holds
    import_id integer not null references imports on delete cascade,
    item_id integer not null references items on delete cascade,
    brought integer not null check (brought in (0, 1)),  -- 0: it was stored already
    told text,                         -- JSON: extra field -> 1 if this file brought it, else 0
    row integer,                       -- of the file, from 1 below its head
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
create index answer_texts_by_sheet on answer_texts
    (sheet_id, question_id, answer_model, length);
create trigger answer_texts_of_changed
    after update of sheet_id, question_id, own_id, answer_model, answer, metadata on items begin
    update answer_texts set sheet_id = new.sheet_id, question_id = new.question_id,
        own_id = new.own_id, answer_model = new.answer_model, answer = new.answer,
        length = length(new.answer), metadata = new.metadata
    where item_id = new.id;
end;

create table pauses (                  -- append-only: an annotator waits, or grades again
    id integer primary key,
    grader_id integer not null references graders,
    paused integer not null check (paused in (0, 1)),
    why text not null default '',
    given_by text not null,
    created_at text not null
);
create index pauses_by_grader on pauses (grader_id, id);

create table distributions (           -- probability of each score, as a judge returned it
    grade_id integer primary key references grades on delete cascade,
    source text not null check (source in ('native', 'logprobs', 'stated', 'imported')),
    probabilities text not null,       -- JSON: score -> probability; need not sum to 1
    outside real check (coalesce(outside between 0 and 1, 1))  -- mass on no score; null: unknown
);

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
