"""The policies room of ninefold."""

if __name__ != "ninefold.policies":
    raise ImportError("`policies` is a room of one package: import ninefold.policies")
