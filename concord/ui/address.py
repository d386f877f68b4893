"""Address: where this app is, as the browser before it knows it."""

from urllib.parse import urlsplit

import streamlit as st


def here() -> str:
    """The address without the screen, as `https://concord.example.org`; '' outside a browser."""
    url = urlsplit(st.context.url or "")
    folder = url.path.rpartition("/")[0]
    return f"{url.scheme}://{url.netloc}{folder}" if url.netloc else ""
