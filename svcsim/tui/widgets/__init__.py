"""The parts of the screen, one a file. They draw what the model holds and tell of keys by messages."""
