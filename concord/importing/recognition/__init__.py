"""Recognition of exports of other tools, and the table that each of them becomes."""
