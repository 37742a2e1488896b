"""The steps of a turn: one file and one public function each, pure over the state."""

if __name__ != "ninefold.nodes":
    raise ImportError("`nodes` is a room of one package: import ninefold.nodes")
