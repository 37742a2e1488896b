"""Where memories are kept: Chroma, Elasticsearch, or the process itself; one contract for all."""

ELASTICSEARCH = "elasticsearch+"
"""Stands before the http or https URL of an Elasticsearch server in the settings."""
