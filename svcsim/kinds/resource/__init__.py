"""Devices, and claims on them."""
