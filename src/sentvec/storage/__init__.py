"""Model files: the model folder, and the safetensors file inside it."""
