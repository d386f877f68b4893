"""The frame, the charts and the widgets that the screens share."""
