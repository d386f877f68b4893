"""What every measure is made of: its declaration, what it is handed, and how a verdict is asked."""
