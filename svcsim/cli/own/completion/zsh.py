"""The completion script for zsh."""

from svcsim.cli.own.completion.model import CommandWords, FlagWord

_HEAD = """#compdef svcsim
# zsh completion for svcsim, printed by: svcsim completion zsh
# Put it into a directory of your $fpath as _svcsim.

_svcsim_cluster() { local -a found; found=(${(f)"$(svcsim clusters 2>/dev/null | awk 'NR>1 {print $1}')"}); compadd -a found; }
_svcsim_namespace() {
    local -a found
    found=(${(f)"$(svcsim get namespaces --no-headers 2>/dev/null | awk '{print $1}')"})
    compadd -a found
}
_svcsim_context() { local -a found; found=(${(f)"$(svcsim config get-contexts -o name 2>/dev/null)"}); compadd -a found; }
_svcsim_pod() { local -a found; found=(${(f)"$(svcsim get pods --no-headers 2>/dev/null | awk '{print $1}')"}); compadd -a found; }
_svcsim_resource() {
    local -a found
    if [[ -n "$line[1]" && $CURRENT -gt 1 ]]; then
        found=(${(f)"$(svcsim get $line[1] --no-headers 2>/dev/null | awk '{print $1}')"})
    else
        found=(${(f)"$(svcsim api-resources --cached -o name 2>/dev/null)"})
    fi
    compadd -a found
}
"""
_ACTIONS = {"file": "_files", **{name: f"_svcsim_{name}" for name in ("cluster", "namespace", "context", "pod", "resource")}}


def script(commands: list[CommandWords]) -> str:
    """The whole script."""
    lines = [_HEAD]
    for command in commands:
        lines += _function(command, commands)
    top = [command for command in commands if len(command.path) == 1]
    lines += [*_group("_svcsim", (), top), "", '_svcsim "$@"', ""]
    return "\n".join(lines)


def _function(command: CommandWords, commands: list[CommandWords]) -> list[str]:
    name = "_svcsim__" + "__".join(command.path).replace("-", "_")
    if command.subcommands:
        members = [found for found in commands if found.path[:-1] == command.path]
        return [*_group(name, command.flags, members), ""]
    lines = [f"{name}() {{", "    _arguments -s \\"]
    lines += [f"        {_flag(flag)} \\" for flag in command.flags]
    lines.append(f"        '*: :{_ACTIONS.get(command.arguments, '_default')}'")
    return [*lines, "}", ""]


def _group(name: str, flags: tuple[FlagWord, ...], members: list[CommandWords]) -> list[str]:
    lines = [f"{name}() {{", "    local line state", "    _arguments -C \\"]
    lines += [f"        {_flag(flag)} \\" for flag in flags]
    lines += ["        '1: :->command' '*:: :->rest'", "    case $state in", "        command)", "            local -a found=("]
    lines += [f"                {_quoted(f'{member.path[-1]}:{member.doc}')}" for member in members]
    lines += ["            )", "            _describe command found ;;", "        rest)", "            case $line[1] in"]
    for member in members:
        lines.append(f"                {member.path[-1]}) _svcsim__{'__'.join(member.path).replace('-', '_')} ;;")
    return [*lines, "            esac ;;", "    esac", "}"]


def _flag(flag: FlagWord) -> str:
    doc = flag.doc.replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    value = ""
    if flag.takes_value:
        action = f"({' '.join(flag.choices)})" if flag.choices else _ACTIONS.get(flag.values, "")
        value = f":{flag.name}:{action}"
    equals = "=" if flag.takes_value else ""
    spelled = [f"--{flag.name}{equals}", *([f"-{flag.short}{'+' if flag.takes_value else ''}"] if flag.short else [])]
    return " ".join(_quoted(f"*{word}[{doc}]{value}") for word in spelled)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
