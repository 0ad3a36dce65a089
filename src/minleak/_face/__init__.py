"""How results are shown: plain values for JSON, tables for people, and the base class of every result."""
