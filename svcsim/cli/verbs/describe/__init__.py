"""``describe``: objects in detail, for people. One file per family of kinds; `command` finds the objects, `kinds` the describer."""
