"""How fast is pushpoint here? Against MuJoCo, as robots grow, among many obstacles, in closed loops, from a cold start.

How a ratio is measured, from the top: `measure` calls everything, `planar` and `spatial` say which runs are compared,
`case` what belongs to one, `contest` who wins it by which ratio, `judge` what counts as accurate, `runs` what is timed,
`timing` how. `result` collects everything for a JSON file, and `tables` makes Markdown of such a file alone.
"""
