"""The three models in plain NumPy: the references for the tests of kernels and networks."""
