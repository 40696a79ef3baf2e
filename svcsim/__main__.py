"""``python -m svcsim`` is the ``svcsim`` command."""

from svcsim.cli.main import main

if __name__ == "__main__":
    main()
