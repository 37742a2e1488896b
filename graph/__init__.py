"""The graph room of ninefold."""

if __name__ != "ninefold.graph":  # kept by `make layout`
    raise ImportError("this folder is a part of one package: write `import ninefold.graph`")
