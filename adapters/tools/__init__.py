"""The agent's own tools, and the box from which a model's calls are run."""
