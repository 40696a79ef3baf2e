"""The builtins that leave a loop or a function, as exceptions."""


class BreakError(Exception):
    """``break`` or ``continue``, for a number of nested loops."""

    def __init__(self, levels: int, *, goes_on: bool) -> None:
        super().__init__(levels)
        self.levels = levels
        self.goes_on = goes_on
        """Whether it is ``continue``."""


class ReturnError(Exception):
    """``return``, with the exit code of the function."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status & 0xFF
