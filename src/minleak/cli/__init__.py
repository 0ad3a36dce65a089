"""The command line: one file for each command, a function from its options to an `Outcome`: a result, which prints
itself, the files that were written, and an exit code.

`commands` makes a command of the function, `output` prints what it returns, `failures` tells what went wrong. Groups of
options that several commands share are dataclasses: `Reading` in `inputs`, `Requirement` in `sweep`.

A command's file is loaded when it is called, so imports stand at its top; result classes come from the modules that
define them, since `minleak.results` would load them all. Inside functions are only imports that not every call needs,
and that take long: typer before ctrl-C is heeded, the warehouse (0.2 s and 20 MB), rich, pyarrow's Parquet.
"""
