"""The public functions of Concord as a library; `concord` itself offers them (docs/library.md)."""
