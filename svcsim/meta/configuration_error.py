"""What a cluster was told at its start and can't follow."""


class ConfigurationError(ValueError):
    """An option, or a file that an option names, is no good. The message names the option and says in one line what to do.

    Whatever reads such a thing when a cluster is put together raises it; `svcsim up` shows the line, and nothing was started.
    """
