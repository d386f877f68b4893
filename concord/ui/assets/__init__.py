"""Style sheets and images."""

from pathlib import Path

ASSETS = Path(__file__).parent
