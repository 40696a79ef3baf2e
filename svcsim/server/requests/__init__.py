"""What is known of a request on its way: its line taken apart, its query, the bundle verbs are given, and how it is counted."""
