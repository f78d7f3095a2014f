"""The evaluation tasks: their records, and how their files are found and read."""
