"""Queries in the language of ``jq``: what they find in a JSON value.

From text to tokens (`tokens`), from tokens to filters made of filters (`parser`), which look at a value (`query`). What a query may do and
make is limited (`work`), however it is written; its regular expressions are RE2's, which never go back (`patterns`).
"""
