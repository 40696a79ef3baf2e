"""svcsim's own commands: clusters brought up, looked at and taken down, the dashboard, replays, completion."""
