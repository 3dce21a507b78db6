"""Find the colours of partita.plotting: 30 that readers with any colour vision can tell apart as well as possible.

    python -m tools.make_palette

The first eight are those of Okabe and Ito (2008) without black, and grey-blue in its place. Each further colour is the
one, of a grid in RGB, whose smallest distance to all before it is largest; the distance is that of CIE Lab, and the
smallest of four ways to see: normal, and without the long, middle or short waves (Machado, Oliveira and Fernandes 2009,
severity 1). Very light and very dark colours are left out, since they vanish on white, or beside black.
"""

import numpy as np

FIRST = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#3B3B58"]
VISIONS = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = np.array([0.9505, 1.0, 1.089])


def to_rgb(colors):
    """Shares of red, green and blue, (n, 3), of names such as #0072B2."""
    return np.array([[int(color[place : place + 2], 16) for place in (1, 3, 5)] for color in colors]) / 255


def to_lab(rgb, vision="normal"):
    """CIE Lab, (n, 3), as a reader with this colour vision sees the colours."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = (linear @ VISIONS[vision].T).clip(0, 1)
    ratio = seen @ _TO_XYZ.T / _WHITE
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.column_stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])])


def distances(first, second):
    """The smallest distance of the four visions between every two colours, (n, m)."""
    return np.min(
        [np.linalg.norm(to_lab(first, v)[:, None] - to_lab(second, v)[None], axis=2) for v in VISIONS], axis=0
    )


def make_palette(n_colors=30):
    """The first colours, and others that are far from all before them."""
    steps = np.linspace(0, 1, 18)
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    light = to_lab(grid)[:, 0]
    grid = grid[(light > 22) & (light < 90)]
    chosen = to_rgb(FIRST)
    nearest = distances(grid, chosen).min(axis=1)
    while len(chosen) < n_colors:
        chosen = np.vstack([chosen, grid[nearest.argmax()]])
        nearest = np.minimum(nearest, distances(grid, chosen[-1:])[:, 0])
    return ["#" + "".join(f"{round(255 * value):02X}" for value in color) for color in chosen]


def main():
    """Print the colours, and how far apart the first of them are."""
    palette = make_palette()
    print(palette)
    between = distances(to_rgb(palette), to_rgb(palette))
    for n in (8, 12, 20, 30):
        near = between[:n, :n] + 1e9 * np.eye(n)
        print(f"{n} colours: smallest distance {near.min():.1f}")


if __name__ == "__main__":
    main()
