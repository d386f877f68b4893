"""Judge definitions: judge files, providers, prices and the registry of judges."""
