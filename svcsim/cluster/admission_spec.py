"""Who looks at requests before they are written: which admission plugins are on, and what they go by."""

from dataclasses import dataclass
from pathlib import Path

from svcsim.cluster.settings import setting
from svcsim.cluster.values import FilePath, StringList


class PluginNames(StringList):
    """Names of admission plugins. Which there are is known where they are put together; a cluster refuses others when it is opened."""


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
        help="A file with the configuration of admission plugins: who the server is to webhooks, and what server decides about images.",
        formerly="admissionConfigFile",
        flag="--admission-control-config-file",
        revocable=True,
        metavar="FILE",
        in_scenario=True,
    )
