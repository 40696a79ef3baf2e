"""Text of others in messages, as Go quotes it (``%q``)."""

import pytest

from svcsim.meta.quoting import quoted


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", '""'),
        ("web-1", '"web-1"'),
        ("größer 日本", '"größer 日本"'),
        ('say "hi" \\ there', '"say \\"hi\\" \\\\ there"'),
        ("\x1b[31mred\x07\x00\x7f", '"\\x1b[31mred\\a\\x00\\x7f"'),
        ("a\nb\tc\rd\ve\ff\bg", '"a\\nb\\tc\\rd\\ve\\ff\\bg"'),
        ("\u202e\u2028\x85\xa0", '"\\u202e\\u2028\\u0085\\u00a0"'),
        ("\U000e0001", '"\\U000e0001"'),
        ("\ud800", '"\ufffd"'),
    ],
)
def test_what_cannot_be_printed_is_spelled(text: str, told: str):
    assert quoted(text) == told
