"""The state room of ninefold."""

if __name__ != "ninefold.state":
    raise ImportError("`state` is a room of one package: import ninefold.state")
