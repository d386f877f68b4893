"""Exports of other tools, one file per tool: how they are recognised, and what is read from them.

Each module declares its `SOURCES`. A new tool is a new file here.
"""
