"""Reading: priors, channels, pairs and places from the files that they come in.

A table turns a source and a format into columns; each format is a file of `formats`. No message here shows an entry of
a file, which may be a secret: it says where the entry stands.
"""
