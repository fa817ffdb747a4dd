"""Runs in a browser: a scene in space that plays recordings or live simulations, and the same as one offline page.

| module | question |
|---|---|
| `meshes` | which triangles does a shape have? |
| `stage` | what of a world and a robot is shown, and how much of it? |
| `track` | where is everything at a row of the recording, and in which colour? |
| `push_points` | how much could the contacts carry with which the robot pushes? |
| `strip` | joint angles, forces, energy and events over time, as a picture |
| `page` | all of that as one HTML file that needs no server |
| `server` | who may connect? |
| `scene` | a stage and its track in viser |
| `panel` | controls of a recording, of two, or of a live run |
| `options` | which options of a scenario have a slider or a list? |
| `live` | a simulation that goes on while it is shown |

Only `server`, `scene` and `panel` need viser, the extra `view`.
"""
