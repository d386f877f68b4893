"""Words: what Concord says, in the language of who reads it.

What is said is English wherever it is made, stored, cached, exported or printed; only a screen
shows it in another language. Each other language has one file beside this one, which says every
English text of the interface in that language; a text that is missing there is shown in English.
"""
