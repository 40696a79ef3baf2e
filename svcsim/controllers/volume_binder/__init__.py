"""Binds claims to volumes, and looks after volumes whose claim is gone."""
