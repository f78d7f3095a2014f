"""What benchmarks of several folders share: texts cut to size, and evaluation sets.

A script finds this folder through the line `sys.path.insert(...)` above its import.
"""
