"""Components that run in the browser."""
