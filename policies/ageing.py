"""How a memory fades that nobody asks for; preferences and profile never do by age alone."""

from __future__ import annotations

from collections.abc import Iterable

from ninefold.state import ALWAYS_RECALLED, MemoryRecord, MemoryStatus
from ninefold.state.memory import instant

from .recall_input import Limits

DAY = 86_400
FRESH = 0.1
"""What a memory loses until it begins to fade: enough that of two equal ones the newer comes first."""
FADED = 0.5
"""What is left of it on the day on which it is archived."""


def idle_days(record: MemoryRecord, now: str) -> float:
    """Give the days since a memory was last of use: recalled by a search, said again, or said at all."""
    used = max(instant(moment) for moment in (record.created, record.last_hit, record.seen) if moment)
    return max(0.0, (instant(now) - used) / DAY)


def due(records: Iterable[MemoryRecord], now: str, archive_days: float) -> list[MemoryRecord]:
    """Give the memories that nobody asked for in so many days, as they are archived."""
    return [
        record.model_copy(update={"status": MemoryStatus.ARCHIVED})
        for record in records
        if record.kind not in ALWAYS_RECALLED and idle_days(record, now) >= archive_days
    ]


def weight(record: MemoryRecord, limits: Limits) -> float:
    """Give what a memory's scores count: 1 when fresh, less from day to day, 0 once it is due for the archive."""
    if record.kind in ALWAYS_RECALLED or not limits.now:
        return 1.0
    idle = idle_days(record, limits.now)
    if idle >= limits.archive_days:
        return 0.0
    if idle <= limits.fade_days:
        return 1.0 - FRESH * idle / limits.fade_days
    share = (idle - limits.fade_days) / (limits.archive_days - limits.fade_days)
    return 1.0 - FRESH - (1.0 - FRESH - FADED) * share
