"""The steps of the database's shape that are of a team: who signs in, who grades what, and where.

As in `concord/store/schema/migrations.py`, which numbers them, a step that has landed is never
edited.
"""

MEMBERS = """
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
    ended_at text
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
"""

CAMPAIGNS = """
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
"""

PACKS = """
create table packs (                   -- one grader's work in a set, as a file
    id integer primary key,
    set_id integer not null references grading_sets on delete cascade,
    grader_id integer not null references graders,
    token text not null unique,        -- what the row codes of its files begin with
    made_by text not null,
    created_at text not null
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
"""

KNOWN = """
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
create table comments (                -- what people say of a practice answer
    id integer primary key,
    set_id integer not null references grading_sets on delete cascade,
    item_id integer not null references items on delete cascade,
    grader_id integer references graders,
    said_by text not null,
    text text not null,
    press_id text unique,
    created_at text not null
);
create index comments_by_item on comments (item_id, set_id, id);
create table rubric_freezes (          -- append-only; the newest of a set counts
    id integer primary key,
    set_id integer not null references grading_sets on delete cascade,
    rubric_id integer not null references rubrics,
    body text not null,                -- the rubric as it was frozen, JSON
    changed text not null,             -- JSON: criterion -> [old version or null, new or null]
    frozen_by text not null,
    created_at text not null
);
create index rubric_freezes_by_set on rubric_freezes (set_id, id);
"""

REGRADES = """
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
"""

USED = """
alter table sessions add column used_at text;  -- about when; null until it is used for a while
"""

STEPS = (MEMBERS, CAMPAIGNS, PACKS, KNOWN, REGRADES, USED)
