"""Store: the one SQLite file, opened per script run, process or thread, and never shared.

WAL with synchronous FULL, foreign keys on, made under a file lock. Every write is durable
when the call returns, but for a run's own (`wait_for_no_disk`). Writes are raw `INSERT`s inside
`Store.write()`, which takes the write lock before it reads, so a read-then-write cannot interleave
with another's. The tables themselves are spoken to by the sibling modules named after what they
hold (sheets, grades, graders, runs, ...).
"""

import fcntl
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Lock

from concord.clock import now
from concord.messages import N_, Problem, system_fault
from concord.resources import COMMAND, data_folder
from concord.store import permissions
from concord.store.permissions import Who


class Refused(Problem):
    """The member's role or the database itself denies the statement; nothing was written."""


SCHEMA = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
# Positive and of 31 bits, as SQLite keeps it in a header.
VERSION = int(hashlib.sha256(SCHEMA.encode()).hexdigest()[:8], 16) >> 1 or 1
BUSY_S, PAUSE_S, BEING_MADE_S = 30, 0.002, 3.0
# Set where the process must not change any database: `concord app --read-only`.
READ_ONLY = "CONCORD_READ_ONLY"
# Four times SQLite's own: a run writes the same pages again and again.
MERGED_PAGES = 4000
Row = sqlite3.Row
# Of the id of an item, in a query: undoing an import did not take it out of its sheet.
LIVE_ITEM = (
    "not in (select i.id from sheets h cross join items i on i.sheet_id = h.id"
    " where h.undone_import is not null)"
)
# The digest of the requests of a judge, a row of `graders`; null where no other judge shares them.
# A chat judge with log-probabilities and no reading rule has it as its fingerprint.
REQUESTS = """coalesce(json_extract({0}.definition, '$.requests'),
    iif(json_extract({0}.definition, '$.judge.logprobs'), {0}.fingerprint, null))"""
# What this process has opened: a file gone since must not be replaced by an empty one unnoticed.
_OPENED: set[str] = set()
# Open stores that wait for the next who asks for one like them, the longest waiting first.
_IDLE: list[tuple[tuple, "Store"]] = []
_IDLE_LOCK = Lock()
MOST_IDLE = 64


class Store:
    """One open connection to a Concord database; SQLite refuses to write a `read_only` one."""

    def __init__(self, path: str | Path, read_only: bool = False, one_thread: bool = True):
        self.path, self.read_only = str(path), read_only
        self.who: Who | None = None
        self._closed = False
        self._file: tuple[int, int] | None = None
        # With isolation_level None the module begins no transactions of its own; `write` does.
        self.connection = sqlite3.connect(
            _address(self.path) if read_only else self.path,
            timeout=BUSY_S,
            isolation_level=None,
            factory=permissions.Connection,
            uri=read_only,
            check_same_thread=one_thread,
            cached_statements=256,
        )
        self.connection.row_factory = sqlite3.Row
        # SQLite sets both per connection, and foreign keys are off by default. In WAL mode only
        # `full` makes a commit survive a power cut; runs relax it in `wait_for_no_disk`.
        self.connection.execute("pragma foreign_keys = on")
        self.connection.execute("pragma synchronous = full")

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "connection") and not self._closed:
            # Garbage may be collected by another thread, which sqlite3 refuses to close for; the
            # connection is then closed together with its object.
            with suppress(sqlite3.ProgrammingError):
                self.close()

    def hold_to_file(self) -> None:
        """Refuse to write once the file at the path is another one, or gone.

        A deleted file still accepts writes until its last connection closes, and then loses them.
        """
        self._file = _file_at(self.path)
        _OPENED.add(os.path.abspath(self.path))

    def limit(self, who: Who | None) -> None:
        """Restrict the connection to what a signed-in member may do; None changes nothing."""
        if who:
            permissions.limit(self.connection, who, now)
            self.who = who

    def by(self) -> str:
        """The user a change is recorded under: the signed-in member, else this machine's user."""
        return self.who.name if self.who else "local"

    def may_lead(self) -> bool:
        """Return whether a lead's changes are open here: to leads, and to all without sign-in."""
        return not self.read_only and (self.who is None or self.who.role == permissions.LEAD)

    def why_no_lead(self) -> str | None:
        """Return why a lead's changes are refused here; None where they are open."""
        return None if self.may_lead() else _denied()

    def must_lead(self) -> None:
        """Raise a Problem for a member who is no lead; for actions outside the database."""
        if why := self.why_no_lead():
            raise Refused(why)

    def close(self) -> None:
        """Close the connection; the store cannot be used afterwards."""
        self._closed = True
        self.connection.close()

    def rows(self, sql: str, values: Sequence | dict = ()) -> list[Row]:
        """Return all rows of a query."""
        with _as_problem(self.path):
            return self.connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence | dict = ()) -> Row | None:
        """Return the first row of a query; None without rows."""
        with _as_problem(self.path):
            return self.connection.execute(sql, values).fetchone()

    def each(self, sql: str, values: Sequence | dict = ()) -> Iterator[Row]:
        """The rows of a query one by one, where all at once would fill the memory."""
        with _as_problem(self.path):
            yield from self.connection.execute(sql, values)

    def column(self, sql: str, values: Sequence | dict = ()) -> list:
        """Return the first column of all rows."""
        return [row[0] for row in self.rows(sql, values)]

    def has(self, sql: str, values: Sequence | dict = ()) -> bool:
        """Tell if the first column of the first row is true; False without rows."""
        return bool(self.value(sql, values))

    def value(self, sql: str, values: Sequence | dict = ()):
        """Return the first column of the first row; None without rows."""
        row = self.row(sql, values)
        return row[0] if row else None

    @contextmanager
    def write(self) -> Iterator["Store"]:
        """A transaction that holds the write lock from its start; durable when it ends.

        Inside another one it is part of that one.
        """
        with _as_problem(self.path):
            is_inside = self.connection.in_transaction
            if not is_inside:
                self._take_write_lock()
        with nullcontext() if is_inside else self._ended():
            yield self

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """A part of a write that is undone by itself where it fails; inside `write()`.

        What the database refuses is a `Refused`, after which the rest of the write can go on.
        """
        connection = self.connection
        connection.execute("savepoint attempt")
        try:
            yield
        except BaseException as error:
            if connection.in_transaction:  # SQLite itself rolls back when the disk is full
                connection.execute("rollback to attempt")
                connection.execute("release attempt")
            if isinstance(error, sqlite3.IntegrityError):
                raise Refused(_CONTRADICTS) from error
            raise
        connection.execute("release attempt")

    @contextmanager
    def write_if_free(self) -> Iterator[bool]:
        """Open a transaction as `write` does, without waiting: yield False where another writes."""
        with _as_problem(self.path):
            self.connection.execute("pragma busy_timeout = 0")
            free = self._begins()
            self.connection.execute(f"pragma busy_timeout = {BUSY_S * 1000}")
        with self._ended() if free else nullcontext():
            yield free

    @contextmanager
    def _ended(self) -> Iterator[None]:
        """End a transaction with its block: by a commit, or as if it had never been."""
        connection = self.connection
        try:
            yield
        except BaseException:
            if connection.in_transaction:  # SQLite itself rolls back when the disk is full
                connection.execute("rollback")
            raise
        # Checked before every commit: a deleted or replaced file would take the write and lose it.
        if self._file and _file_at(self.path) != self._file:
            connection.execute("rollback")
            raise _gone(self.path)
        with _as_problem(self.path):
            connection.execute("commit")

    def _begins(self) -> bool:
        """Begin a transaction; False where another writer is active."""
        try:
            self.connection.execute("begin immediate")
        except sqlite3.OperationalError as error:
            # Extended codes such as SQLITE_BUSY_SNAPSHOT have the primary code in the low byte.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            return False
        return True

    def _take_write_lock(self) -> None:
        """Begin a transaction as soon as no other writer is active.

        SQLite's own busy handler backs off to 100 ms between attempts and so rarely hits the gap
        between two writes of a run: on a slow disk an annotator's keypress waited for seconds.
        """
        connection, last = self.connection, time.monotonic() + BUSY_S
        connection.execute("pragma busy_timeout = 0")
        try:
            while not self._begins():
                if time.monotonic() > last:
                    raise sqlite3.OperationalError("database is locked")
                time.sleep(PAUSE_S)
        finally:
            connection.execute(f"pragma busy_timeout = {BUSY_S * 1000}")

    def wait_for_no_disk(self) -> None:
        """Commit to the operating system's cache only; `flush` writes through to the disk.

        A commit survives the end of the process at once, however it ends. A power cut may undo what
        came after the last `flush`, as a whole and from the end. A commit checkpoints the log into
        the database where it is longer than MERGED_PAGES.
        """
        self.connection.execute("pragma synchronous = normal")
        self.connection.execute(f"pragma wal_autocheckpoint = {MERGED_PAGES}")

    def flush(self) -> None:
        """Put on the disk whatever was committed to the database by now; from any thread."""
        # In WAL mode commits are appended to the -wal file; syncing it is enough, from any thread.
        with _as_problem(self.path), open(f"{self.path}-wal", "rb") as log:
            os.fsync(log.fileno())

    @contextmanager
    def snapshot(self) -> Iterator["Store"]:
        """Open a read transaction: all reads see the database as it is now, while others write."""
        connection = self.connection
        with _as_problem(self.path):
            # Deferred: it reads only, so it takes no write lock. The first read fixes what it sees.
            connection.execute("begin")
            try:
                yield self
            finally:
                connection.execute("rollback")

    def insert(self, table: str, **values) -> int:
        """Insert one row and return its id; inside `write()`."""
        with _as_problem(self.path):
            return self.connection.execute(_insert(table, values), [*values.values()]).lastrowid

    def insert_many(self, table: str, columns: Sequence[str], rows: Iterable[Sequence]) -> None:
        """Insert many rows of the same columns; inside `write()`."""
        self.execute_many(_insert(table, columns), rows)

    def execute(self, sql: str, values: Sequence | dict = ()) -> int:
        """Run one statement that changes rows and return how many; inside `write()`."""
        with _as_problem(self.path):
            return self.connection.execute(sql, values).rowcount

    def execute_many(self, sql: str, rows: Iterable[Sequence | dict]) -> None:
        """Run one statement that changes rows with several values; inside `write()`."""
        with _as_problem(self.path):
            self.connection.executemany(sql, rows)

    def changes(self) -> tuple[int, int]:
        """Differs from an earlier one where the database was written to since, by whomever."""
        return self.value("pragma data_version"), self.connection.total_changes

    def identity(self) -> str:
        """A random name of this database, the same for good: tells databases on one port apart."""
        return self.value("select value from settings where name = 'identity'")

    def backup(self, target: str | Path) -> None:
        """Copy the whole database into a new file while others go on working."""
        self.must_lead()
        target = Path(target)
        with _as_problem(str(target)):
            if target.exists():
                raise Problem(
                    "{target} exists already. Name a new file for the backup.", target=target
                )
            # Copied by SQLite: copying the file would miss what is still in the -wal file.
            copy = sqlite3.connect(target)
            try:
                self.connection.backup(copy)
            except BaseException:
                copy.close()
                target.unlink(missing_ok=True)  # half a copy must not pass for a whole one
                raise
            copy.close()


def default_path() -> Path:
    """Return where the database is: `CONCORD_DB`, else in the data folder, which is made."""
    if named := os.environ.get("CONCORD_DB"):
        return Path(named)
    path = data_folder() / "concord.db"
    with _as_problem(str(path)):
        path.parent.mkdir(parents=True, exist_ok=True)
    return path


def scratch() -> sqlite3.Connection:
    """A temporary database on disk, which goes with its connection."""
    return sqlite3.connect("", check_same_thread=False)  # a screen's reruns are threads


def open_store(
    path: str | Path | None = None, who: Who | None = None, *, one_thread: bool = True
) -> Store:
    """Open the database, creating it where needed; a Problem where it cannot be opened.

    `who` is the person who signed in, and the store reaches what that person may (`permissions`);
    None reaches everything: this machine's own user, to whom the file belongs. With the environment
    variable `CONCORD_READ_ONLY`, the database has to be there, and nothing can be written to it.
    """
    path, read_only = Path(path) if path else default_path(), is_read_only()
    with _as_problem(str(path)):
        _check_place(path, read_only)
        store = Store(path, read_only, one_thread)
        try:
            _check_version(store)
            store.hold_to_file()
            # Last, as making a database needs more than a member may do.
            store.limit(who)
        except BaseException:
            store.close()
            raise
    return store


@contextmanager
def lent_store(who: Who | None = None) -> Iterator[Store]:
    """Lend the store that `open_store` opens; it stays open for the next who asks for the same.

    To open one, and to hold it to what a person may, takes longer than to save a grade. It is lent
    to one at a time, and closed after any fault.
    """
    path = default_path()
    key = (str(path), _file_at(str(path)), is_read_only(), who)
    with _IDLE_LOCK:
        at = next((n for n, (held, _) in enumerate(_IDLE) if held == key), None)
        store = None if at is None else _IDLE.pop(at)[1]
    store = store or open_store(path, who, one_thread=False)
    try:
        _check_version(store)
        yield store
    except BaseException:
        store.close()
        raise
    with _IDLE_LOCK:
        _IDLE.append((key, store))
        oldest = _IDLE.pop(0)[1] if len(_IDLE) > MOST_IDLE else None
    if oldest:
        oldest.close()


def _check_place(path: Path, read_only: bool) -> None:
    """A Problem where no database can be at a path."""
    # SQLite would create an empty database in its place, and all data would seem to be gone.
    if os.path.abspath(path) in _OPENED and not path.exists():
        raise _gone(path)
    # Another process that is making it now has written the first page in a moment.
    last = time.monotonic() + BEING_MADE_S
    while path.exists() and path.stat().st_size == 0:
        if time.monotonic() > last:
            raise Problem(
                "{path} is empty, so something emptied it. Restore a backup over it, or delete it "
                "to begin a new database.",
                path=path,
            )
        time.sleep(PAUSE_S)
    if read_only and not path.exists():
        raise Problem(
            "There is no database {path}, and none is made in read-only mode. Make one with "
            "`{command} demo`, or name another file.",
            path=path,
            command=COMMAND,
        )


def is_read_only() -> bool:
    """Return whether this process must not change any database."""
    return bool(os.environ.get(READ_ONLY))


def _address(path: str) -> str:
    """Return a database's address for a connection that SQLite itself keeps from writing."""
    # Beside a file in WAL mode SQLite writes its own, which it cannot do on a read-only disk;
    # nobody else can write there either, so the file may be taken as unchanging.
    changes = os.access(Path(path).absolute().parent, os.W_OK)
    return f"{Path(path).absolute().as_uri()}?mode=ro" + ("" if changes else "&immutable=1")


def _file_at(path: str) -> tuple[int, int] | None:
    """Return device and inode, which identify a file across renames; None without content."""
    with suppress(FileNotFoundError):
        found = os.stat(path)
        return (found.st_dev, found.st_ino) if found.st_size else None
    return None


def marks(values: Sized) -> str:
    """A question mark for each value, as SQL wants them in `in (...)` and `values (...)`."""
    return ", ".join("?" * len(values))


@contextmanager
def file_lock(path: str | Path, wait: bool = True) -> Iterator[bool]:
    """Hold an operating-system lock that dies with its process; yields whether it was got."""
    with open(path, "a+b") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


def _check_version(store: Store) -> None:
    """Make a new database under the file lock; refuse one that another version wrote."""
    if _version(store) == 0 and not store.read_only:
        with file_lock(f"{store.path}.lock"):
            if _version(store) == 0 and store.value("select 1 from sqlite_master"):
                raise Problem(
                    "{path} is another program's database. Name another file with --db or "
                    "CONCORD_DB.",
                    path=store.path,
                )
            # WAL lets screens read while a run writes. The mode is stored in the file; setting it
            # once is enough, and it cannot be set inside a transaction.
            store.connection.execute("pragma journal_mode = wal")
            if _version(store) == 0:
                # In one transaction, so that a crash leaves an empty file and no half of a schema.
                store.connection.executescript(
                    f"begin immediate; {SCHEMA}; pragma user_version = {VERSION}; commit;"
                )
    if _version(store) != VERSION:
        raise Problem(
            "{path} was written by another version of Concord: export it with the version that "
            "wrote it (`export DIR`), and import the export into a new database here.",
            path=store.path,
        )


def _version(store: Store) -> int:
    return store.value("pragma user_version")


def _insert(table: str, columns: Iterable[str]) -> str:
    columns = list(columns)
    return f"insert into main.{table} ({', '.join(columns)}) values ({marks(columns)})"


@contextmanager
def _as_problem(path: str) -> Iterator[None]:
    """Say what the operating system or SQLite refuses in one sentence with its remedy."""
    try:
        yield
    except OSError as error:
        raise Problem(
            "{path} cannot be opened: {reason}. Check the path, the disk and who may write there, "
            "or name another file with --db or CONCORD_DB.",
            path=path,
            reason=system_fault(error),
        ) from None
    except UnicodeEncodeError as error:
        raise Problem(
            "{text} has half of a character (a lone surrogate), which no database takes. Replace "
            "it.",
            text=ascii(error.object[:60]),
        ) from None
    except sqlite3.DatabaseError as error:
        refused = str(error)
        if "authoriz" in refused:
            raise Refused(_denied()) from None
        if "readonly database" in refused and is_read_only():
            raise Refused(READ_ONLY_TEXT) from None
        for part, sentence in SENTENCES.items():
            if part in refused:
                raise Problem(sentence, path=path, seconds=BUSY_S) from None
        raise


def _gone(path: str) -> Problem:
    return Problem(
        "{path} was deleted, moved or replaced while Concord was working. Nothing was saved to it "
        "now. Put it back, or start Concord again to begin a new one.",
        path=path,
    )


_NOT_ALLOWED = N_(
    "Your role does not allow that, or does not show what it needs. Ask a lead to do it, or for "
    "another role."
)
READ_ONLY_TEXT = N_(
    "This is a read-only demo: nothing is stored and no judge is run. Install Concord to work with "
    "your own answers."
)


def _denied() -> str:
    """Return why a statement is refused."""
    return READ_ONLY_TEXT if is_read_only() else _NOT_ALLOWED


SET_CLOSED = N_(
    "The grading set of these answers is closed, so annotators' grades of them no longer change. A "
    "lead can open it again."
)
_CONTRADICTS = N_(
    "The change conflicts with the stored data and was not saved. Load the page again."
)
_SHUT = (
    "{path} cannot be read or written. Check the file, its folder and the disk, or name another "
    "file with --db or CONCORD_DB."
)
_DAMAGED = (
    "{path} is no Concord database, or is damaged. Restore a backup over it, or name another file "
    "with --db or CONCORD_DB."
)
# By a part of SQLite's error.
SENTENCES = {
    "created in a thread": "This store of {path} was opened in another thread. Open one in each.",
    "file is not a database": _DAMAGED,
    "malformed": _DAMAGED,
    "readonly database": _SHUT,
    "unable to open": _SHUT,
    "disk I/O error": _SHUT,
    "disk is full": "{path} cannot grow: the disk is full. Free some space, then repeat the "
    "command: saved work is safe, and it resumes from there.",
    "database is locked": "{path} was locked for {seconds} seconds, because another program was "
    "writing to it. Try again, or stop that program.",
    "closed database": "The store of {path} is closed. Open it again with open_store.",
}
