"""Skip-Thought: settings, training, model, and what else its decoders and parts can do."""
