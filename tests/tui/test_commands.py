"""Typed commands, taken apart."""

import pytest

from svcsim.tui.model.commands import TypedCommand, TypedCommandError, parse


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("po", TypedCommand("po")),
        ("po shop", TypedCommand("po", "shop")),
        ("po all", TypedCommand("po", "")),
        ("po -A", TypedCommand("po", "")),
        ("po -n shop", TypedCommand("po", "shop")),
        ("po -nshop", TypedCommand("po", "shop")),
        ("po --namespace=shop", TypedCommand("po", "shop")),
        ("po app=web,tier!=x", TypedCommand("po", None, "app=web,tier!=x")),
        ("po shop -l app", TypedCommand("po", "shop", "app")),
        ("po --selector=app=web shop", TypedCommand("po", "shop", "app=web")),
        ("po shop /a b", TypedCommand("po", "shop", "", "a b")),
    ],
)
def test_a_command_says_what_where_and_which(text: str, meant: TypedCommand):
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
    with pytest.raises(TypedCommandError) as refused:
        parse(text.split())
    assert why in str(refused.value)
