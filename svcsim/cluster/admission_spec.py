"""Who looks at requests before they are written: which admission plugins are on, and what they go by."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from svcsim.cluster.settings import setting
from svcsim.cluster.values import FilePath, StringList
from svcsim.meta.types import Json


class PluginNames(StringList):
    """Names of admission plugins. Which there are is known where they are put together; a cluster refuses others when it is opened.

    None at all takes back what was said before; a comma with no name beside it is a mistake.
    """

    refusal: ClassVar[str] = "{label} takes names of plugins with commas between them, not {value}"

    def from_json(self, value: Json) -> tuple[str, ...]:
        given = value if isinstance(value, list) else [value]
        if any(not name.strip() for text in given if isinstance(text, str) and text for name in text.split(",")):
            raise ValueError
        return super().from_json(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionSpec:
    """Which plugins are asked."""

    enable: tuple[str, ...] = setting(
        (),
        PluginNames(),
        help="Admission plugins to switch on that are off by default.",
        formerly="enableAdmissionPlugins",
        flag="--enable-admission-plugins",
        metavar="NAME,…",
        in_scenario=True,
        replaces=("admission.disable",),
    )
    """`UnknownPluginError` when the cluster is opened, for what isn't there."""
    disable: tuple[str, ...] = setting(
        (),
        PluginNames(),
        help="Admission plugins to switch off.",
        formerly="disableAdmissionPlugins",
        flag="--disable-admission-plugins",
        metavar="NAME,…",
        in_scenario=True,
        replaces=("admission.enable",),
    )
    """Likewise."""
    config_file: Path | None = setting(
        None,
        FilePath(),
        help="A file that configures admission plugins: who the server is to webhooks, what decides about images, limits, defaults.",
        formerly="admissionConfigFile",
        flag="--admission-control-config-file",
        revocable=True,
        metavar="FILE",
        in_scenario=True,
    )
