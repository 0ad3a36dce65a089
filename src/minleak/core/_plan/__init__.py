"""What a plan is: rings, blocks and rows in whole numbers, the sets that they make, and their closed forms."""
