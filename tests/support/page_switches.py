"""What switching to a page is in a test."""

WANTED = ("pages/agreement.py", {"kept": "this"})


class Left(BaseException):
    """Streamlit leaves a run at `switch_page`, as at any rerun, by raising what is no Exception."""
