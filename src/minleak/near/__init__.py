"""Near and cheap decoys: plans whose sets are close together, or cost least."""
