"""Parts that the readers and writers of several formats share."""
