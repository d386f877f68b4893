"""The text of a PDF file, page after page. The only module that imports pypdf."""

import logging
import struct
import zlib
from io import BytesIO

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from problems import Problem

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it grumbles about is said below

# What reading a damaged or hostile file may end in, beside the library's own errors.
_BROKEN = (PyPdfError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError)
_BROKEN += (RecursionError, AssertionError, OSError, NotImplementedError, struct.error, zlib.error)


def text_of(data: bytes) -> str:
    """The text of all pages; a Problem where there is none or it cannot be read."""
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Problem("It is locked with a password. Save it without one.")
        pages = [page.extract_text() for page in reader.pages]
    except _BROKEN:
        raise Problem("It is no PDF that can be read. Open it and save it anew.") from None
    text = "\n\n".join(page.strip() for page in pages if page.strip())
    if not text:
        raise Problem("Its pages are pictures without text. Give a version with text.")
    return text
