"""The nodes room of ninefold."""

if __name__ != "ninefold.nodes":
    raise ImportError("`nodes` is a room of one package: import ninefold.nodes")
