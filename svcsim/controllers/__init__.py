"""The controllers: one file or folder each. Where there is much to decide, a pure plan stands beside the controller."""
