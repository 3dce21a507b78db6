from ._feature_kmeans import kmeans_ensemble as kmeans_ensemble
from .flare._certificates import make_certificates as make_certificates
from .encryption._keys import make_keys as make_keys
from ._simulate import simulate as simulate
from .rows._site import Site as Site
