"""What papers state, and checks of our own: claims as data, one file per key, or several that begin with it."""
