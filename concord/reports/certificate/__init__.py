"""Certificates, their verification and drift."""
