from ._data import Noisy as Noisy, noisy_ensemble as noisy_ensemble, same_partition as same_partition
from ._run import (
    PROMISES as PROMISES,
    check_consensus_estimator as check_consensus_estimator,
    consensus_estimator_checks as consensus_estimator_checks,
)
