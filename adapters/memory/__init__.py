"""Where memories are kept: Chroma, or the process itself; one contract for all."""
