"""The completion script for zsh."""

from svcsim.cli.own.completion.model import OR_FILES, CommandWords, FlagWord, asked_for, global_flags

_HEAD = """#compdef svcsim
# zsh completion for svcsim, printed by: svcsim completion zsh
# Put it into a directory of your $fpath as _svcsim.

_svcsim_ask() {
    local -a found
    found=(${(f)"$(svcsim __complete "$1" "${svcsim_line[@]}" 2>/dev/null)"})
    compadd -a found
}

_svcsim_ask_or_files() {
    local -a found
    found=(${(f)"$(svcsim __complete "$1" "${svcsim_line[@]}" 2>/dev/null)"})
    compadd -S '' -a found || _files
}

_svcsim_several() {
    compset -P '*,'
    compadd -S '' -- "$@"
}

_svcsim_words_or_files() {
    local none=1
    compadd -- "$@" && none=0
    _files && none=0
    return $none
}
"""
_ENTRY = """_svcsim() {
    # the words of the whole line; further down only those of a subcommand are left
    local -a svcsim_line
    local word
    for word in "${(@)words[2,CURRENT]}"; do svcsim_line+=("${(Q)word}"); done
    _svcsim_commands
}

_svcsim "$@"
"""


def script(commands: list[CommandWords]) -> str:
    """The whole script."""
    lines = [_HEAD]
    for command in commands:
        lines += _function(command, commands)
    top = [command for command in commands if len(command.path) == 1]
    lines += [*_group("_svcsim_commands", global_flags(), top), "", _ENTRY]
    return "\n".join(lines)


def _function(command: CommandWords, commands: list[CommandWords]) -> list[str]:
    name = "_svcsim__" + "__".join(command.path).replace("-", "_")
    if command.subcommands:
        members = [found for found in commands if found.path[:-1] == command.path]
        return [*_group(name, command.flags, members), ""]
    lines = [f"{name}() {{", "    _arguments -s \\"]
    lines += [f"        {_flag(flag)} \\" for flag in command.flags]
    lines.append("        " + _quoted(f"*: :{_action(command.arguments) or '_default'}"))
    return [*lines, "}", ""]


def _group(name: str, flags: tuple[FlagWord, ...], members: list[CommandWords]) -> list[str]:
    lines = [f"{name}() {{", '    local line state context curcontext="$curcontext"', "    typeset -A opt_args", "    _arguments -C \\"]
    lines += [f"        {_flag(flag)} \\" for flag in flags]
    lines += ["        '1: :->command' '*:: :->rest'", "    case $state in", "        command)", "            local -a found=("]
    lines += [f"                {_quoted(f'{member.path[-1]}:{member.doc}')}" for member in members]
    lines += ["            )", "            _describe command found ;;", "        rest)", "            case $line[1] in"]
    for member in members:
        lines.append(f"                {member.path[-1]}) _svcsim__{'__'.join(member.path).replace('-', '_')} ;;")
    return [*lines, "            esac ;;", "    esac", "}"]


def _flag(flag: FlagWord) -> str:
    doc = flag.doc.replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    value = f":{flag.name}:{_value(flag)}" if flag.takes_value else ""
    equals = "=" if flag.takes_value else ""
    spelled = [f"--{flag.name}{equals}", *([f"-{flag.short}{'+' if flag.takes_value else ''}"] if flag.short else [])]
    return " ".join(_quoted(f"*{word}[{doc}]{value}") for word in spelled)


def _value(flag: FlagWord) -> str:
    if flag.several:
        return f" _svcsim_several {' '.join(flag.choices)}"
    if flag.choices and flag.values == "file":
        return f" _svcsim_words_or_files {' '.join(flag.choices)}"
    return f"({' '.join(flag.choices)})" if flag.choices else _action(flag.values)


def _action(values: str) -> str:
    if values == "file":
        return "_files"
    asks = "_svcsim_ask_or_files" if values in OR_FILES else "_svcsim_ask"
    return f" {asks} " + values.replace(":", "\\:") if asked_for(values) else ""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
