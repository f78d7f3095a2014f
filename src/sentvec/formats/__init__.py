"""Model files of other programs: recognised by content, checked to the last byte, mapped."""
