# The public names and where they live: read by type checkers and, at run time, by lazy_loader.
from ._agreement import AgreementDisplay as AgreementDisplay
from ._coassociation import CoassociationDisplay as CoassociationDisplay
from ._consensus_cdf import ConsensusCDFDisplay as ConsensusCDFDisplay
from ._convergence import ConvergenceDisplay as ConvergenceDisplay
from ._curve import CurveDisplay as CurveDisplay
from ._dendrogram import DendrogramDisplay as DendrogramDisplay
from ._membership import MembershipDisplay as MembershipDisplay
from ._rank import RankDisplay as RankDisplay
from ._relation import RelationDisplay as RelationDisplay
from ._resolutions import ResolutionTreeDisplay as ResolutionTreeDisplay
from ._scatter import ScatterDisplay as ScatterDisplay
from ._tracking import TrackingDisplay as TrackingDisplay
from ._uncertainty import UncertaintyDisplay as UncertaintyDisplay
