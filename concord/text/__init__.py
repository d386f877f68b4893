"""Text: tokens, sentences and string similarity in any script. Pure."""
