"""Units made elsewhere: lists of units, verdicts on them, and checks of lists."""
