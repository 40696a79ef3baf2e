"""``webhook``: admission webhooks while they are being written."""
