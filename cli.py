"""The command line from a checkout: `python cli.py --help`. Installed, it is `concord`."""

from concord.cli import main

if __name__ == "__main__":
    main()
