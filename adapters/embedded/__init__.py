"""The model and the embedder that need no server: a GGUF file in a process of its own, and e5 in numpy."""
