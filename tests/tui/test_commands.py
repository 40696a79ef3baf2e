"""Typed commands, taken apart."""

import pytest

from svcsim.tui.model.commands import Command, CommandError, parse


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("po", Command("po")),
        ("po shop", Command("po", "shop")),
        ("po all", Command("po", "")),
        ("po -A", Command("po", "")),
        ("po -n shop", Command("po", "shop")),
        ("po -nshop", Command("po", "shop")),
        ("po --namespace=shop", Command("po", "shop")),
        ("po app=web,tier!=x", Command("po", None, "app=web,tier!=x")),
        ("po shop -l app", Command("po", "shop", "app")),
        ("po --selector=app=web shop", Command("po", "shop", "app=web")),
        ("po shop /a b", Command("po", "shop", "", "a b")),
    ],
)
def test_a_command_says_what_where_and_which(text: str, meant: Command):
    assert parse(text.split()) == meant


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("po a b", '"b": there is one namespace already'),
        ("po -o yaml", 'there is no flag "-o" here'),
        ("po --wide", 'there is no flag "--wide" here'),
        ("po -l", "-l needs a value"),
        ("po -l a=b c=d", '"c=d": there is one label selector already'),
        ("po a==b==c", "is no label selector"),
    ],
)
def test_what_can_not_be_meant_is_refused_with_a_word(text: str, why: str):
    with pytest.raises(CommandError) as refused:
        parse(text.split())
    assert why in str(refused.value)
