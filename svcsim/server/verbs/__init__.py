"""One file per family of verbs: what a request of that verb is read into, and how the registry's answer is told."""
