"""The bundled sample: an invented bicycle-share, and the invented prices of its judges."""
