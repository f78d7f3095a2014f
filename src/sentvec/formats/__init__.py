"""Model files of other programs: detected by content, checked to the last byte, mapped."""
