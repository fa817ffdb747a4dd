"""In space: a robot with cardan joints sidewinds, and lifts its links while it does."""

from __future__ import annotations

import pushpoint as pp


def main() -> None:
    recording = pp.simulate("transeth2008b/sidewinding")
    middle = recording.data["link_position"].sel(link=5)
    moved = middle[-1] - middle[0]
    print("link 5 moved by x {:.2f}, y {:.2f} m in 15 s".format(*moved.values[:2]))
    print(f"it was lifted by up to {1e3 * float((middle - middle[0]).sel(axis='z').max()):.0f} mm")


if __name__ == "__main__":
    main()
