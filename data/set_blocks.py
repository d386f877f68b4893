"""Set blocks: how many answers each block of a grading set has.

What a set holds is drawn once and never changes, and a key that is graded asks for it several
times, so it is counted once per process and kept.
"""

from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType

from data.store import Store

KEPT = 256
_kept: OrderedDict[tuple, Mapping[int, int]] = OrderedDict()


def sizes(store: Store, set_id: int, created_at: str) -> Mapping[int, int]:
    """The number of answers by block, as this connection sees them; blocks in order."""
    key = (store.path, store.identity(), store.who, set_id, created_at)
    found = _kept.get(key)
    if found is None:
        rows = store.rows(
            "select block, count(*) from grading_set_items where set_id = ?"
            " group by block order by block",
            (set_id,),
        )
        found = _kept[key] = MappingProxyType({row[0]: row[1] for row in rows})
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found
