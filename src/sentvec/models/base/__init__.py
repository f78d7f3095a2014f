"""What every model does: encode, compare, save; and models that average rows of a matrix."""
