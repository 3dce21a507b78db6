"""Places of the nodes of a layered graph: an order of each layer with few crossings, then positions with few bends.

Orders: every node goes to the weighted mean place of its neighbours in the layer before (then after), again and again
(the barycentre method); from the order with the least weight of crossings, neighbours in a layer change places as long
as that takes crossings away. Positions: each layer is moved towards
its neighbours by least squares, in that order and with a smallest distance: an isotonic regression.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from partita._typing import FloatArray, IntArray

_SWEEPS = 24  # down and up; more change nothing at twelve layers of 25 nodes


class Layers(NamedTuple):
    """A layered graph."""

    layer: IntArray  # (n_nodes,) layer of each node
    source: IntArray  # (n_edges,) node of a layer
    target: IntArray  # (n_edges,) node of the next layer
    weight: FloatArray  # (n_edges,)

    @property
    def n_layers(self) -> int:
        """Number of layers."""
        return int(self.layer.max()) + 1

    def nodes_of(self, layer: int) -> IntArray:
        """Nodes of a layer."""
        return np.flatnonzero(self.layer == layer)

    def table(self, layer: int) -> FloatArray:
        """Weights of the edges from a layer (rows) to the next one (columns)."""
        first, second = self.nodes_of(layer), self.nodes_of(layer + 1)
        here = self.layer[self.source] == layer
        table = np.zeros((len(first), len(second)))
        rows, cols = np.searchsorted(first, self.source[here]), np.searchsorted(second, self.target[here])
        table[rows, cols] = self.weight[here]
        return table


def place_nodes(layers: Layers) -> FloatArray:
    """Horizontal place of each node, (n_nodes,); neighbours in a layer are at least 1 apart."""
    tables = [layers.table(layer) for layer in range(layers.n_layers - 1)]
    sizes = np.bincount(layers.layer).tolist()
    orders = _order_layers(tables, sizes)
    x: list[FloatArray] = [np.argsort(order).astype(np.float64) - (len(order) - 1) / 2 for order in orders]
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for layer in range(1, len(x)) if down else range(len(x) - 2, -1, -1):
            table = tables[layer - 1] if down else tables[layer].T
            x[layer] = _towards(x[layer], table, x[layer - 1 if down else layer + 1], orders[layer])
    return np.concatenate(x)


def count_crossings(tables: list[FloatArray], orders: list[IntArray]) -> float:
    """Sum over pairs of edges that cross of the product of their weights."""
    total = 0.0
    for layer, table in enumerate(tables):
        ordered = table[np.ix_(orders[layer], orders[layer + 1])]
        # an edge crosses those that start before it and end after it
        before = np.vstack([np.zeros(ordered.shape[1]), np.cumsum(ordered, axis=0)[:-1]])
        after = before[:, ::-1].cumsum(axis=1)[:, ::-1] - before
        total += float((ordered * after).sum())
    return total


def _order_layers(tables: list[FloatArray], sizes: list[int]) -> list[IntArray]:
    """An order of the nodes of each layer with few crossings."""
    orders = [np.arange(size) for size in sizes]
    best, least = [order.copy() for order in orders], count_crossings(tables, orders)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for layer in range(1, len(sizes)) if down else range(len(sizes) - 2, -1, -1):
            table = tables[layer - 1] if down else tables[layer].T
            place = np.argsort(orders[layer - 1 if down else layer + 1]).astype(np.float64)
            orders[layer] = np.argsort(_mean_place(table, place, np.argsort(orders[layer])), kind="stable")
        crossings = count_crossings(tables, orders)
        if crossings < least:
            best, least = [order.copy() for order in orders], crossings
    for _ in range(_SWEEPS):  # each change takes crossings away: a layer after another, from the best order
        for layer in range(len(sizes)):
            best[layer] = _swapped(best, tables, layer)
    return best


def _swapped(orders: list[IntArray], tables: list[FloatArray], layer: int) -> IntArray:
    """The order of a layer after neighbours have changed places as long as that takes crossings away."""
    order = orders[layer].tolist()
    cost = np.zeros((len(order), len(order)))  # crossings of the edges of two nodes, the first one before the second
    sides = [(layer - 1, layer - 1), (layer, layer + 1)]
    for table, neighbour in ((at, side) for at, side in sides if 0 <= side < len(orders)):
        edges = (tables[table] if neighbour < layer else tables[table].T)[orders[neighbour]]
        before = np.vstack([np.zeros(edges.shape[1]), np.cumsum(edges, axis=0)[:-1]])
        cost += edges.T @ before
    again = True
    while again:
        again = False
        for place in range(len(order) - 1):
            left, right = order[place], order[place + 1]
            if cost[left, right] > cost[right, left] + 1e-9:
                order[place], order[place + 1] = right, left
                again = True
    return np.array(order)


def _mean_place(table: FloatArray, place: FloatArray, own: FloatArray | IntArray) -> FloatArray:
    """Weighted mean place of the neighbours of each column; its own where it has none."""
    mass = table.sum(axis=0)
    return np.asarray(np.where(mass > 0, place @ table / np.maximum(mass, np.finfo(float).tiny), own))


def _towards(x: FloatArray, table: FloatArray, neighbours: FloatArray, order: IntArray) -> FloatArray:
    """Places nearest to the mean of the neighbours that keep the order and a distance of 1."""
    wanted = _mean_place(table, neighbours, x)[order]
    steps = np.arange(len(order))
    moved = np.empty(len(order))
    moved[order] = isotonic_regression(wanted - steps).x + steps
    return moved
