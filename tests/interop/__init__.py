"""Other tools, each in an environment of its own.

Prodigy needs a licence: its file is by schema.
"""
