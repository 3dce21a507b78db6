from ._choice import Choice as Choice
from ._combine import combine as combine
from ._result import ConsensusResult as ConsensusResult
