"""The interface: frame, widgets, charts, components and screens."""
