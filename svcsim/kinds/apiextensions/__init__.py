"""Kinds of the API group apiextensions, and the kinds that its objects define."""
