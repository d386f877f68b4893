"""Address: where this app is, as the browser before it knows it."""
