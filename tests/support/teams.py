"""Who grades what in a team."""

SECRET = "atlas"  # the answering model, which no grader sees


NAMES = ("Ann", "Bo", "Cleo")


def put_in(store, set_id, grader_id, joins):
    with store.write():
        store.insert(
            "set_graders",
            set_id=set_id,
            grader_id=grader_id,
            joins=joins,
            given_by="Lea",
            created_at="2026-01-01T00:00:00.000Z",
        )
