"""The text of a PDF file, page after page. The only module that imports pypdf."""

import logging
from io import BytesIO

from pypdf import PdfReader

from concord.importing.readers import safe_reading
from concord.messages import Problem

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it grumbles about is said below

# Steps of drawing in one file: a page of text takes some thousands.
STEPS = 5_000_000
_BROKEN = "The PDF cannot be read. Open it and save it again."


def text_of(data: bytes) -> str:
    """Return the text of all pages; a Problem where it is empty or unreadable."""
    steps = 0

    def count(*_) -> None:
        nonlocal steps
        steps += 1
        if steps > STEPS:
            raise Problem("Unpacked, its pages exceed the limit for a document. Split it.")

    with safe_reading.reading(_BROKEN):
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Problem("It is locked with a password. Save it without one.")
        # Counted while drawing: a few kilobytes can unpack to billions of drawing steps.
        pages = [page.extract_text(visitor_operand_before=count) for page in reader.pages]
    text = "\n\n".join(page.strip() for page in pages if page.strip())
    if not text:
        raise Problem("Its pages are pictures without text. Give a version with text.")
    return text
