"""Settings: the team."""
