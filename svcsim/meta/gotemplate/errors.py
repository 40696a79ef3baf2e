"""What is wrong with a template, in the words people know from Go."""

NAME = "output"
"""What kubectl calls every template it is given."""


class TemplateError(Exception):
    """A template that can't be read, or doesn't fit the object."""


class CallError(Exception):
    """A function refuses what it was given; whoever called it says where."""


class NoFunctionError(CallError):
    """What is called is a value of that type; whoever called it says how it is spelled."""
