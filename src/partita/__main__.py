"""``python -m partita``."""

from partita.cli.main import main

main()
