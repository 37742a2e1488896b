"""The adapters room of ninefold."""

if __name__ != "ninefold.adapters":  # kept by `make layout`
    raise ImportError("this folder is a part of one package: write `import ninefold.adapters`")
