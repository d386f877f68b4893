"""Gates: what makes a build fail."""
