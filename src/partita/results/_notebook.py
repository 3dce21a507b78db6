"""How a result looks in a notebook: the sentence, the reasons and the clusters, with everything escaped."""

from html import escape
from typing import Any

import pandas as pd

_MOST = 12  # clusters that are shown


def notebook_html(summary: str, reasons: list[str], clusters: pd.DataFrame) -> str:
    """A small piece of HTML without a script."""
    reasons_html = "".join(f"<li>{escape(reason)}</li>" for reason in reasons)
    shown = clusters.head(_MOST)
    heads = "".join(f"<th>{escape(str(name).replace('_', ' '))}</th>" for name in shown.columns)
    rows = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in shown.itertuples(index=False))
    more = f"<p>{len(clusters) - _MOST} more clusters</p>" if len(clusters) > _MOST else ""
    return (
        f'<div class="partita-result"><p><strong>{escape(summary)}</strong></p><ul>{reasons_html}</ul>'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{more}</div>"
    )


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"<td>{value:.3g}</td>" if value == value else "<td></td>"
    return f"<td>{escape(str(value))}</td>"
