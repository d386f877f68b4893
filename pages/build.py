"""Build: from documents to drafts, from approved drafts to the answers of models."""

from concord.ui.frame import enter
from concord.ui.screens import build

build.show(enter(__file__))
