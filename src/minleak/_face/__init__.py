"""How results are shown: plain values for JSON, tables as text and HTML, and the base class of every result."""
