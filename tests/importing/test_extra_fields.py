from concord.importing.item_rows import READERS
from concord.model import EXTRA_FIELDS


def test_every_extra_field_of_an_answer_is_read_from_a_file():
    assert READERS.keys() == EXTRA_FIELDS
