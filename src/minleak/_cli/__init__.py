"""The command line: one file for each command, a function from its options to what it has to say (`Answer`).

`commands` makes a command of the function; groups of options that several share are in `inputs`, `requirement`,
`engines` and `channels`; `summaries` puts plans into words.

A command's file is loaded when it is called, so imports stand at its top. Inside functions are only those that not
every call needs, and that take long: typer before ctrl-C is heeded, the warehouse (0.2 s and 20 MB), rich, pyarrow's
Parquet.
"""
