"""The tables and figures of the five sources, one module per source; each is a declaration."""
