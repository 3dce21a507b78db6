"""A matrix for SciPy's Lanczos methods that looks at the limits of time before each product."""

from typing import Any

from partita._stopping import check_stop


def stoppable(matrix: Any) -> Any:
    """The same matrix, dense or sparse; an error that a product raises ends the whole decomposition."""
    from scipy.sparse.linalg import LinearOperator, aslinearoperator

    products = aslinearoperator(matrix)

    def times(x: Any) -> Any:
        check_stop()
        return products.matvec(x)

    def transposed_times(x: Any) -> Any:
        check_stop()
        return products.rmatvec(x)

    return LinearOperator(matrix.shape, matvec=times, rmatvec=transposed_times, dtype=matrix.dtype)
