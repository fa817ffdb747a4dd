"""pushpoint."""
