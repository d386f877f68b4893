"""The bundled sample: an invented bicycle-share, its sources and what is built from them."""
