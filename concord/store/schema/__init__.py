"""The schema: numbered migrations that are only ever added to."""
