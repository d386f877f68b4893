"""The kinds of judges: a class in a module each, which is all that a new kind takes."""
