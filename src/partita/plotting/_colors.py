"""Colours of clusters that readers with any colour vision can tell apart, up to 30 of them, and marks beside them.

Found by ``tools/make_palette.py``. The smallest distance in CIE Lab between two of them, of normal vision and the three
kinds of dichromacy, is 16 among the first 20 and 13 among all 30; a difference of about 2 can just be seen.
"""

from partita.plotting._display import GREY

# fmt: off
PALETTE = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#3B3B58", "#691E00", "#9600FF",
    "#B4E196", "#9678FF", "#E1004B", "#00FFD2", "#5A0096", "#C3A55A", "#A5E1FF", "#4B693C", "#693CD2", "#690F78",
    "#874B00", "#D200B4", "#4B2D2D", "#875A78", "#C3D25A", "#FF7896", "#F0A5D2", "#7896F0", "#3C00B4", "#962D87",
)
# fmt: on
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")  # of points: with more than ten clusters a second sign
SEQUENTIAL = "Blues"  # of shares from 0 to 1: white is none; lightness alone tells them apart, so that all readers can
MISSING = "#F0DCB8"  # where there is no value: sand, which is none of the blues


def cluster_color(cluster: int) -> str:
    """Colour of a cluster; from the 31st on they begin again, and grey is for objects without one (-1)."""
    return GREY if cluster < 0 else PALETTE[cluster % len(PALETTE)]


def cluster_colors(n_clusters: int) -> list[str]:
    """Colours of the clusters 0, 1, ..., k - 1."""
    return [cluster_color(cluster) for cluster in range(n_clusters)]


def cluster_marker(cluster: int) -> str:
    """Mark of the points of a cluster."""
    return MARKERS[cluster % len(MARKERS)] if cluster >= 0 else "."


def text_on(color: str) -> str:
    """Black or white, whichever is easier to read on a colour."""
    red, green, blue = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return "black" if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.18 else "white"
