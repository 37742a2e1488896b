"""Names for sessions that nobody named."""

from __future__ import annotations

import secrets
from datetime import datetime


def new_thread() -> str:
    """Give an id that sorts by time and is short enough to type."""
    return f"{datetime.now().astimezone():%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
