"""How fast is it here? Measured against MuJoCo in the same run, per link, and from a cold start."""
