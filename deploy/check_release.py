"""Check that a tag, the version and the changelog agree: `python deploy/check_release.py v0.2.0`.

Prints every fault, and exits 1 if there is one. It runs on Python alone.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def faults(tag: str, project: str, changelog: str) -> list[str]:
    """Return what is wrong with a release.

    Args:
        tag: The tag, `v` and the version.
        project: The text of pyproject.toml.
        changelog: The text of CHANGELOG.md.
    """
    version = tomllib.loads(project)["project"]["version"]
    found = []
    if tag != f"v{version}":
        found.append(f"The tag is {tag}, and pyproject.toml has the version {version}.")
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    dated = re.compile(rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n")
    if not any(map(dated.match, sections)):
        found.append(f"CHANGELOG.md has no section [{version}] with a date, as in 2026-11-26.")
    unreleased = [one for one in sections if one.startswith("[Unreleased]")]
    if any(re.search(r"^- ", one, re.MULTILINE) for one in unreleased):
        found.append(f"Move the entries under [Unreleased] of CHANGELOG.md to [{version}].")
    return found


def main() -> int:
    """Check the tag that the command line names."""
    if len(sys.argv) != 2:
        print("Name the tag: python deploy/check_release.py v0.2.0", file=sys.stderr)
        return 2
    texts = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("pyproject.toml", "CHANGELOG.md")
    )
    found = faults(sys.argv[1], *texts)
    print("\n".join(found) or f"{sys.argv[1]} can be released.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
