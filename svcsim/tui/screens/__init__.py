"""Whole screens: the table browser, the pager, questions and help."""
