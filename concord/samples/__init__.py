"""The bundled sample: an invented bicycle-share, its sources and the code that builds it."""
