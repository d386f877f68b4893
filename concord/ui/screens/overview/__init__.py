"""Overview: the workflow and its next step."""
