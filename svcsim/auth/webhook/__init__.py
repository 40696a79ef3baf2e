"""Servers outside of this process that say who is asking, and whether they may."""
