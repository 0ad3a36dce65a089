"""The command line: one file for each command, which parses, calls the library and renders.

A command's file is loaded when it is called, so imports stand at its top. Inside functions are only those that not
every call needs, and that take long: typer before ctrl-C is heeded, the warehouse (0.2 s and 20 MB), rich, pyarrow's
Parquet.
"""
