"""Words: what Concord says, in the language of who reads it.

What is said is English wherever it is made, stored, cached, exported or printed; only a screen
shows it in another language. Each other language has one file beside this one, which says every
English text of the interface in that language; `tests/test_words.py` holds that none is missing.
"""
