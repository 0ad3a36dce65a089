"""Plans that last: parts that never change, the counts of every day, and pins."""
