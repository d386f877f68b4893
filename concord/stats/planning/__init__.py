"""Sample sizes and pilots."""
