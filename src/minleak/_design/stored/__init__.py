"""What is kept beside a plan so that it can be drawn from: look-up tables, an index of labels; and the .cloak file."""
