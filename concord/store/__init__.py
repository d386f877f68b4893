"""The database: one SQLite file, permissions, and one module per group of tables."""
