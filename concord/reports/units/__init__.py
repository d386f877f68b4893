"""Reports on units such as claims."""
