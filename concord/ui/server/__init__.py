"""The server: sign-in, security middleware and limits."""
