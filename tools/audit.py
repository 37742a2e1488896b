"""Looks up every pinned dependency in the public list of known vulnerabilities (OSV), by pip-audit.

python tools/audit.py

It ends with status 1 when one is known. Where the list cannot be reached it says that nothing was audited, and ends
with status 0: a machine without the network has not found anything wrong.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx

LOCK = Path(__file__).resolve().parents[1] / "requirements.lock"
SERVICE = "https://api.osv.dev"


def main() -> int:
    """Audit the lock file."""
    try:
        httpx.post(f"{SERVICE}/v1/query", json={"package": {"name": "pip", "ecosystem": "PyPI"}}, timeout=15)
    except httpx.HTTPError as error:
        print(f"NOT AUDITED: {SERVICE} cannot be reached from this machine ({type(error).__name__}).")
        return 0
    install = [sys.executable, "-m", "pip", "install", "--quiet", "pip-audit"]
    audit = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--vulnerability-service", "osv"]
    subprocess.run(install, check=True)
    return subprocess.run([*audit, "--requirement", str(LOCK)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
