"""Why an object is in the state it is in, in plain words."""
