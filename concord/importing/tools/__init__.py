"""Exports of other tools, one file per source: how it is recognised, and what is read from it.

Each module declares `SOURCE`. A new source is a new file here.
"""
