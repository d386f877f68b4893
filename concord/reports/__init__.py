"""Reports: store and statistics together, for screens and `--json`."""
