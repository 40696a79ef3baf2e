"""What ``/version`` answers, as a type."""

from svcsim.schema.types import Field, Str, Struct

VERSION_INFO = Struct(
    "Info",
    Field(0, "major", Str(), "Major version that is served", required=True),
    Field(0, "minor", Str(), "Minor version that is served", required=True),
    Field(0, "emulationMajor", Str(), "Major version whose behaviour is served"),
    Field(0, "emulationMinor", Str(), "Minor version whose behaviour is served"),
    Field(0, "minCompatibilityMajor", Str(), "Major version of the oldest servers it gets along with"),
    Field(0, "minCompatibilityMinor", Str(), "Minor version of the oldest servers it gets along with"),
    Field(0, "gitVersion", Str(), "The whole version", required=True),
    Field(0, "gitCommit", Str(), "Commit it was made of", required=True),
    Field(0, "gitTreeState", Str(), "Whether that was all it was made of", required=True),
    Field(0, "buildDate", Str(), "When it was made", required=True),
    Field(0, "goVersion", Str(), "Version of Go it was made with", required=True),
    Field(0, "compiler", Str(), "What runs it", required=True),
    Field(0, "platform", Str(), "System and machine it runs on", required=True),
    doc="Which version of the server answers.",
)
