"""A conversation with a person, in a terminal or through a pipe."""
