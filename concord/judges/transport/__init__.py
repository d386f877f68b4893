"""Transport: the HTTP client, rate limits, API keys and endpoint errors."""
