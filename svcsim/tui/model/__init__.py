"""What the dashboard shows, worked out without a terminal: rows, order, filters, views, texts."""
