"""Fitted models in files that hold JSON and plain arrays, never a pickle: opening one runs nothing that is in it."""

from partita.model_files._load import StoredModel, load_model, read_model_file
from partita.model_files._save import save_model

__all__ = ["StoredModel", "load_model", "read_model_file", "save_model"]
