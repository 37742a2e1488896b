"""Checkpoints, archive and turn locks in one Postgres database, for sessions that live on more than one machine."""
