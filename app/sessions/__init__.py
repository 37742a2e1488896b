"""The sessions of an agent: listed, shown, forked, renamed, deleted, exported and imported.

```python
from ninefold.sessions import fork_session, list_sessions, opened

with opened() as place:
    for session in list_sessions(place, "local"):
        print(session.thread, session.turns)
    fork_session(place, "work", "local", new="try", turn=3)
```
"""

from .change import delete_session, fork_session, rename_session, vacuum
from .leaving import export_session
from .listing import Session, list_sessions, transcript
from .place import Place, opened
from .returning import Imported, import_session

__all__ = [
    "Imported",
    "Place",
    "Session",
    "delete_session",
    "export_session",
    "fork_session",
    "import_session",
    "list_sessions",
    "opened",
    "rename_session",
    "transcript",
    "vacuum",
]
