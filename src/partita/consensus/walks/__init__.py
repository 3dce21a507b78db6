"""Methods that compare distinct rows by random walks among them."""
