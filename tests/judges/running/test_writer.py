"""The writer of a run: what it has written outlives the process, and the disk takes it at once."""

import asyncio
import errno
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from concord.judges.running.writer import Landed, Writer
from concord.messages import Problem
from concord.store import items
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.runs import Reply
from tests.support.patience import until


def landed(store, run_id, number):
    """A reply to one of the answers."""
    run = store.row("select * from runs where id = ?", (run_id,))
    item_id = items.item_ids(store, run["sheet_id"])[number]
    return Landed([Reply(run["grader_id"], item_id, f"h{number}", "", 1, 1, "{}", "{}", "x")], [])


def write(store, run_id, times=3):
    """Land so many replies, one after the other."""

    async def go():
        with Writer(store.path) as disk:
            for number in range(times):
                await disk.land(run_id, landed(store, run_id, number))
                assert stored(store) == number + 1  # another connection sees it at once

    asyncio.run(go())


def stored(store):
    return store.value("select count(*) from replies")


def flushed(monkeypatch, fault=None):
    """The files that the disk was asked to take."""
    asked, fsync = [], os.fsync

    def noted(file):
        asked.append(os.fstat(file).st_ino)
        if fault:
            raise fault
        fsync(file)

    monkeypatch.setattr(os, "fsync", noted)
    return asked


def test_the_disk_is_asked_to_take_what_was_written_before_the_writer_is_done(
    store, run_of_three, monkeypatch
):
    asked = flushed(monkeypatch)
    write(store, run_of_three)
    assert set(asked) == {os.stat(f"{store.path}-wal").st_ino}
    assert len(asked) <= 3  # what one taking brings along is not asked for again


def test_a_disk_that_takes_nothing_ends_the_run_with_one_sentence(store, run_of_three, monkeypatch):
    asked = flushed(monkeypatch, OSError(errno.EIO, "Input/output error"))

    async def go():
        with Writer(store.path) as disk:
            await disk.land(run_of_three, landed(store, run_of_three, 0))
            await asyncio.to_thread(until, lambda: asked)
            await disk.land(run_of_three, landed(store, run_of_three, 1))

    with pytest.raises(Problem, match="Input/output error"):
        asyncio.run(go())
    assert len(asked) == 1  # a second time the system would say that all is well


def test_who_finds_another_writing_waits_and_the_loop_goes_on_meanwhile(store, run_of_three):
    async def go():
        with Writer(store.path) as disk:
            with store.write():
                several = [
                    asyncio.create_task(disk.land(run_of_three, landed(store, run_of_three, n)))
                    for n in range(3)
                ]
                for _ in range(10):
                    await asyncio.sleep(0)
                assert not any(task.done() for task in several)
            await asyncio.gather(*several)
            assert stored(store) == 3

    asyncio.run(go())


def test_all_that_wait_hear_of_a_refusal(store, run_of_three):
    async def go():
        with Writer(store.path) as disk:
            with store.write():
                store.execute("delete from runs where id = ?", (run_of_three,))
                several = [asyncio.create_task(disk.land(run_of_three, nothing)) for _ in range(3)]
                await asyncio.sleep(0)
            return await asyncio.gather(
                *several, disk.land(run_of_three, nothing), return_exceptions=True
            )

    nothing = Landed([], [Press(1, "v", 1)])
    refused = asyncio.run(go())
    assert len(refused) == 4


def test_what_waits_when_a_run_is_cancelled_is_written(store, run_of_three):
    async def go():
        with Writer(store.path) as disk:
            with store.write():
                task = asyncio.create_task(disk.land(run_of_three, landed(store, run_of_three, 0)))
                await asyncio.sleep(0)
                task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(go())
    assert stored(store) == 1


def test_a_store_may_be_flushed_by_any_thread(store):
    with open_store(store.path) as other, ThreadPoolExecutor(1) as thread:
        other.wait_for_no_disk()
        with other.write():
            other.insert("settings", name="a", value="b")
        thread.submit(other.flush).result()
    assert store.value("select value from settings where name = 'a'") == "b"
