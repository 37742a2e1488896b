"""Token counters: exact for Qwen 2.5 behind Ollama, an upper bound for every other model."""

if __name__ != "ninefold.adapters.tokens":
    raise ImportError("`adapters` is a room of one package: import ninefold.adapters.tokens")
