"""File readers: bytes in, tables of text cells out, with limits on untrusted files."""
