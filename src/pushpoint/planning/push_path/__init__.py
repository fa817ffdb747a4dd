"""Paths along which a robot can push itself: from peg to peg by a search, then fitted to its links, P4 3.6.1."""
