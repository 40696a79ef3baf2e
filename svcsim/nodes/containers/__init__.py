"""A container as its pod describes it, what is known of the commands it runs, and the stages of its life."""
