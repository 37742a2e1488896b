"""The adapters room of ninefold."""

if __name__ != "ninefold.adapters":
    raise ImportError("`adapters` is a room of one package: import ninefold.adapters")
