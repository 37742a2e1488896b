"""The steps of a turn: one file and one public function each, pure over the state."""

if __name__ != "ninefold.nodes":  # kept by `make layout`
    raise ImportError("this folder is a part of one package: write `import ninefold.nodes`")
