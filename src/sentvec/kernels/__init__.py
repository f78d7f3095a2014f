"""Arrays in, arrays changed: the inner loops. No objects, no input or output, no options."""
