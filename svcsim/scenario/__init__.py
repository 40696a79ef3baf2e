"""Scenarios: the file format, its runner, expectations, faults and reports."""
