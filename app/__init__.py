"""Ninefold."""

if __name__ != "ninefold":  # kept by `make layout`
    raise ImportError("this folder is a part of one package: write `import ninefold`")
