"""`python -m concord` is the command line."""

from concord.cli import main

main()
