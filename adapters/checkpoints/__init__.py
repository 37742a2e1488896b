"""Where a session's state is kept between turns."""

from .plain_serde import PlainSerde, plain
from .sqlite import ThreadedSqliteSaver, open_saver

__all__ = ["PlainSerde", "ThreadedSqliteSaver", "open_saver", "plain"]
