"""The golden files: what every command and page says of five small databases, as recorded.

They are the net under a change of structure, which is to change none of it. `databases.py` builds
the databases, `commands.py` lists the commands and writes down what they say, `pages.py` does so
for screens. The files lie here in a folder for each database: `COMMAND.txt` (what is printed),
`COMMAND.json` (its `--json`) and `pages/PAGE.txt`. `fixture.db.gz` is a stored database of today's
schema with its figures in `fixture.json`; it is made once and must open ever after.

`tests/test_golden.py` holds the product against the files. Where something changes on purpose,
`make golden` records the files anew, and `git diff` shows what the change says. JSON keys that get
another name go into `RENAMES` in `commands.py`; the files stay as they are.
"""
