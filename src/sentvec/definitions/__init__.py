"""The three models in plain NumPy: what the kernels and networks are tested against."""
