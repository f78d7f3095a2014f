"""The papers' evaluation protocols, from local files: tasks, readers, protocols, reports."""
