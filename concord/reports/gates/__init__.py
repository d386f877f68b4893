"""Gates: conditions under which a build fails."""
