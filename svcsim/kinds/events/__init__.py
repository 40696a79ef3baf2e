"""The events group: Event in its newer form."""
