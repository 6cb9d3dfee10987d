"""``tooth version``."""

from __future__ import annotations

import contextlib

from tooth_training.cli.app import app, say


@app.command(short_help="Tell the versions in use.")
def version() -> None:
    """Tell the versions of the suite and of what it stands on."""
    import platform
    from importlib import metadata

    import tooth_envs

    say(f"tooth-envs {tooth_envs.__version__}")
    say(f"python {platform.python_version()}")
    for package in ("numpy", "numba", "gymnasium", "pettingzoo", "pydantic", "torch", "sb3-contrib"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            say(f"{package} {metadata.version(package)}")
