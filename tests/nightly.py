"""Whether the tests that take long run too: ``make nightly`` sets the variable."""

import os

NIGHTLY = os.environ.get("PARTITA_NIGHTLY") == "1"
