"""The kinds of models: one record each, and how a model of any kind is opened."""
