"""Ninefold."""

if __name__ != "ninefold":
    raise ImportError("`app` is the root of one package: import ninefold")
