"""The functions of sprig that stages' templates know, by what they are about."""
