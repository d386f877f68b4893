"""State keys of what reports read, and results that are kept under them."""
