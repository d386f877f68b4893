"""Prompts, requests and reply parsing. Pure."""
