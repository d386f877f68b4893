"""Rubrics: read and edit."""
