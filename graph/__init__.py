"""The graph room of ninefold."""

if __name__ != "ninefold.graph":
    raise ImportError("`graph` is a room of one package: import ninefold.graph")
