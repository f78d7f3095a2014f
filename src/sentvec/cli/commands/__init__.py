"""The commands, one file each, thin: what they do is in the rooms below the command line."""
