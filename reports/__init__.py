"""What the screens and `--json` show, made from the store and the statistics."""
