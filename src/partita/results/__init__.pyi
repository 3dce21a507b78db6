from ._choice import Choice as Choice
from ._combine import combine as combine
from ._comparison import MethodComparison as MethodComparison
from ._result import ConsensusResult as ConsensusResult
from ._stability import Stability as Stability
