"""``python -m svcsim`` is the ``svcsim`` command."""

from svcsim.cli.start import main

if __name__ == "__main__":
    main()
