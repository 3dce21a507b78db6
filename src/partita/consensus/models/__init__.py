"""Models of the rows of labels, fitted by EM."""
