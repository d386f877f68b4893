"""The net of figures: what `--json` of every command says of five small databases, as recorded.

`databases.py` builds the databases by rule, `commands.py` lists the commands and reduces what they
say to numbers, names and codes: no sentence is recorded. `DATABASE.json` holds the records by
command. `make golden` records them anew after an intended change, and `git diff` shows the change.
"""
