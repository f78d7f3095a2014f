"""Networks on torch: the only room that imports it, and only when a model needs it."""
