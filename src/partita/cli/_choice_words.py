"""Which method and how many clusters were chosen, and why: as plain values and in the words of the command line."""

import textwrap
from typing import Any

from partita.cli._say import say
from partita.cli._width import width
from partita.cli._words import in_options


def choice_facts(choice: Any) -> dict[str, Any]:
    """The choice behind a result, as plain values."""
    from partita.results._choice import facts_of

    return {**facts_of(choice), "reasons": [in_options(reason) for reason in choice.reasons]}


def print_reasons(facts: dict[str, Any], *, err: bool) -> None:
    """Write the reasons for people, one below the other."""
    for place, reason in enumerate(facts["reasons"]):
        first = f"{'' if place else 'reasons':<12} - "
        lines = textwrap.wrap(reason, max(30, width()), initial_indent=first, subsequent_indent=" " * 15)
        say("\n".join(lines), err=err)
