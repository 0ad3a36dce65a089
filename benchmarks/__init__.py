"""Side by side with peers: ratios measured in one run, the value next to the time, so that speed cannot buy error."""
