"""Names for the array types that cross the rooms."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Codes = NDArray[np.int32]  # label codes, -1 = not observed
Array = NDArray[Any]
