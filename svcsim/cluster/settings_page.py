"""The reference of a cluster's settings, for people: every option of `up` with its name in ``settings.json`` and in scenarios.

It is generated: ``python -m svcsim.cluster.settings_page`` prints what stands in ``docs/settings.md``, and a test tells when that file is
stale.
"""

import sys

from svcsim.cluster.settings import Setting, settings
from svcsim.cluster.spec import ClusterSpec

_HEAD = """# Settings

What `svcsim up` takes as options can also be a default for every new cluster: in `$SVCSIM_HOME/settings.json` (without that variable, in
`svcsim/settings.json` in the platform's directory for a user's data, such as `~/.local/share`), a map of settings by the names in the
second column. A name with a dot is a map in a map:

```json
{"dialect": "kubernetes", "nodes": 5, "history": "1h", "oidc": {"issuerURL": "https://example.com", "clientID": "svcsim"}}
```

An environment variable goes before the file, an option before both. A cluster that was made before stays what it is: it keeps the options
it was started with last, but for those marked "not kept". The `cluster:` block of a scenario knows the settings that are marked so, and
goes by neither the file nor the environment.

This page is made from the declarations in the code (`svcsim/cluster/*_spec.py`).

| option | in settings.json | by default | what it is for |
|---|---|---|---|
"""


def settings_page() -> str:
    """The whole page."""
    found = settings(ClusterSpec)
    flags = {one.name: one.flag for one in found}
    return _HEAD + "".join(_row(one, flags) for one in found if one.flag)


def _row(one: Setting, flags: dict[str, str]) -> str:
    default = f"`{one.default_text}`" if one.shown_default is None and one.default_text else one.default_text or "none"
    marks = (
        (f"variable `{one.variable}`" if one.variable else ""),
        ("in scenarios" if one.in_scenario else ""),
        ("" if one.kept else "not kept"),
        ("fixed when the cluster is made" if one.fixed else ""),
        ("`none` takes it back" if one.revocable else ""),
        (f"needs `{flags[one.leader]}`" if one.leader else ""),
    )
    told = "; ".join(filter(None, marks))
    what = (f"{one.help} ({told})" if told else one.help).replace("|", "\\|")
    return f"| `{one.flag}` | `{'.'.join(one.json_path)}` | {default} | {what} |\n"


if __name__ == "__main__":
    sys.stdout.write(settings_page())
