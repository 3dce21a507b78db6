"""DP-means and the Dirichlet-process mixture of Gaussians from their definitions, slowly."""

import math
from itertools import product

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

ROUNDING = 1e-10
FOUR = np.array([[0.0, 0.3], [0.4, 0.9], [2.2, 1.5], [-1.0, 2.0]])


def squared_distances(x, centers):
    """Summed over the features in their order, as the kernels do, so that the bits are the same."""
    total = np.zeros(len(centers))
    for j in range(len(x)):
        total += (x[j] - centers[:, j]) * (x[j] - centers[:, j])
    return total


def cluster_means(points, labels):
    """Means of clusters 0, 1, ... and the sum of squared distances to them, added up one by one."""
    centers, total = np.zeros((max(labels) + 1, points.shape[1])), 0.0
    for k in range(len(centers)):
        for x in points[labels == k]:
            centers[k] += x
        centers[k] /= np.count_nonzero(labels == k)
    for x, k in zip(points, labels, strict=True):
        total += float(squared_distances(x, centers[[k]])[0])
    return centers, total


def visits(points, centers, order):
    if not isinstance(order, str):
        return order
    return np.argsort(-np.array([squared_distances(x, centers).min() for x in points]), kind="stable")


def move_points(points, labels, centers, lam, order):
    """One pass of moves of single points; labels without gaps, means, their objective, whether any moved."""
    labels, now, moved = labels.copy(), [center.copy() for center in centers], False
    for i in visits(points, centers, order):
        own, size = labels[i], np.bincount(labels, minlength=len(now))
        d = squared_distances(points[i], np.array(now))
        saved = d[own] * size[own] / (size[own] - 1) if size[own] > 1 else lam
        others = [k for k in range(len(now)) if k != own and size[k] > 0]
        cost = {k: d[k] * size[k] / (size[k] + 1) for k in others}
        if size[own] > 1 and d[own] > lam * (1 + ROUNDING) and lam < min(cost.values(), default=np.inf):
            now.append(points[i].copy())
            cost = {len(now) - 1: lam}
        best = min(cost, key=cost.get, default=None)
        if best is None or cost[best] >= saved * (1 - ROUNDING):
            continue
        if size[own] > 1:
            now[own] = now[own] - (points[i] - now[own]) / (size[own] - 1)
        if best < len(size):
            now[best] = now[best] + (points[i] - now[best]) / (size[best] + 1)
        labels[i], moved = best, True
    labels = np.searchsorted(np.unique(labels), labels)
    means, inertia = cluster_means(points, labels)
    return labels, means, inertia + lam * len(means), moved


def dp_means(points, lam, order, max_iter=300):
    """Sweeps, then moves of single points: labels, centres, objectives, whether both ended."""
    labels, centers, history, converged = sweep_dp_means(points, lam, order, max_iter)
    while converged:
        then, means, objective, moved = move_points(points, labels, centers, lam, order)
        if not moved or objective >= history[-1]:
            return labels, centers, history, True
        if len(history) == max_iter:
            break
        labels, centers, history = then, means, [*history, objective]
    return labels, centers, history, False


def sweep_dp_means(points, lam, order, max_iter=300):
    """Labels, centres, objective after every sweep; ``order`` is a permutation or "farthest"."""
    labels = np.zeros(len(points), dtype=int)
    centers, inertia = cluster_means(points, labels)
    objective, history = inertia + lam, []
    for _ in range(max_iter):
        before, now = labels.copy(), list(centers)
        for i in visits(points, centers, order):
            d = squared_distances(points[i], np.array(now))
            if d.min() > lam * (1 + ROUNDING):
                now.append(points[i])
                labels[i] = len(now) - 1
            else:
                labels[i] = int(d.argmin())
        changed = not np.array_equal(labels, before)
        used = np.unique(labels)
        labels = np.searchsorted(used, labels)
        means, inertia = cluster_means(points, labels)
        if not changed or inertia + lam * len(means) >= objective:
            return before, centers, [*history, objective], True
        centers, objective = means, inertia + lam * len(means)
        history.append(objective)
    return labels, centers, history, False


def farthest_first(points, n_clusters):
    taken, lams = [points.mean(axis=0)], []
    for _ in range(n_clusters):
        nearest = [min(((x - t) ** 2).sum() for t in taken) for x in points]
        lams.append(max(nearest))
        taken.append(points[int(np.argmax(nearest))])
    return lams


def partitions(n):
    """All partitions of n objects, clusters numbered by first appearance."""
    return [z for z in product(range(n), repeat=n) if all(z[i] <= max((-1, *z[:i])) + 1 for i in range(n))]


def canonical(z):
    names = {}
    return tuple(names.setdefault(label, len(names)) for label in np.asarray(z).tolist())


def log_marginal(points, sigma, rho):
    """Log density of the points of one cluster, all features in one big Gaussian."""
    n, d = points.shape
    covariance = np.kron(np.eye(d), sigma * np.eye(n) + rho * np.ones((n, n)))
    return float(multivariate_normal(np.zeros(n * d), covariance).logpdf(points.T.ravel()))


def log_prior(z, alpha):
    """The Chinese restaurant, one customer after the other."""
    value, size = 0.0, {}
    for i, k in enumerate(np.asarray(z).tolist()):
        value += math.log(size.get(k, alpha) / (i + alpha))
        size[k] = size.get(k, 0) + 1
    return value


def log_joint(points, z, model):
    z = np.asarray(z)
    clusters = [points[z == k] for k in np.unique(z)]
    return log_prior(z, model.alpha) + sum(log_marginal(x, model.sigma, model.rho) for x in clusters)


def posterior(points, model):
    """Probability of every partition."""
    logs = np.array([log_joint(points, z, model) for z in partitions(len(points))])
    return np.exp(logs - logsumexp(logs))


def log_gaussian(x, mean, variance):
    return float(-0.5 * (len(x) * math.log(2 * math.pi * variance) + ((x - mean) ** 2).sum() / variance))


def neal_sweep(points, z, means, model, uniform, normal):
    """Algorithm 2 with the same random numbers as the kernel; slots of dead clusters are used again, lowest first."""
    alpha, sigma, rho = model
    z, means, normal = list(z), [np.array(m) for m in means], list(normal)
    for i, x in enumerate(points):
        z[i] = -1
        size = np.bincount([k for k in z if k >= 0], minlength=len(means))
        logs = [math.log(n) + log_gaussian(x, m, sigma) if n else -math.inf for n, m in zip(size, means, strict=True)]
        logs.append(math.log(alpha) + log_gaussian(x, np.zeros(len(x)), rho + sigma))
        k = int(np.searchsorted(np.cumsum(np.exp(logs - logsumexp(logs))), uniform[i], side="right"))
        if k >= len(means):
            k = next((slot for slot, n in enumerate(size) if n == 0), len(means))
            mean = x / (1 + sigma / rho) + math.sqrt(sigma * rho / (sigma + rho)) * normal.pop(0)
            means = [*means[:k], mean, *means[k + 1 :]]
        z[i] = k
    return np.array(z), np.array(means)
