"""Shape pairs to gap, point and normal; broad phase."""
