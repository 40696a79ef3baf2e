"""Kinds of the storage group: classes of storage, the drivers behind them, and what these say of nodes and room."""
