"""Files of NumPy: arrays, archives, and the pickles inside."""
