"""The completion script for bash (and the table it works from)."""

from svcsim.cli.own.completion.model import CommandWords, FlagWord

_HEAD = """# bash completion for svcsim, printed by: svcsim completion bash
# Load it with: source <(svcsim completion bash)

_svcsim_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }

_svcsim_values() {
    case "$1" in
        file) COMPREPLY=($(compgen -f -- "$cur")) ;;
        cluster) _svcsim_words "$(svcsim clusters 2>/dev/null | awk 'NR>1 {print $1}')" ;;
        namespace) _svcsim_words "$(svcsim get namespaces --no-headers 2>/dev/null | awk '{print $1}')" ;;
        context) _svcsim_words "$(svcsim config get-contexts -o name 2>/dev/null)" ;;
        pod) _svcsim_words "$(svcsim get pods --no-headers 2>/dev/null | awk '{print $1}')" ;;
        resource)
            if [[ -n "$kind" ]]; then
                _svcsim_words "$(svcsim get "$kind" --no-headers 2>/dev/null | awk '{print $1}')"
            elif [[ "$cur" == */* ]]; then
                _svcsim_words "$(svcsim get "${cur%%/*}" --no-headers 2>/dev/null | awk -v kind="${cur%%/*}" '{print kind "/" $1}')"
            else
                _svcsim_words "$(svcsim api-resources --cached -o name 2>/dev/null)"
            fi ;;
        *) _svcsim_words "$1" ;;
    esac
}

_svcsim() {
    local cur prev path="" kind="" word index flags="" arguments="" subcommands="" values=""
    cur="${COMP_WORDS[COMP_CWORD]}"
    prev="${COMP_WORDS[COMP_CWORD-1]}"
    for ((index = 1; index < COMP_CWORD; index++)); do
        word="${COMP_WORDS[index]}"
        case "$word" in
            -*) continue ;;
        esac
        if [[ " $_svcsim_paths " == *" ${path:+$path/}$word "* ]]; then
            path="${path:+$path/}$word"
        elif [[ -n "$path" && -z "$kind" && "$word" != */* && "${COMP_WORDS[index-1]}" != -* ]]; then
            kind="$word"
        fi
    done
    _svcsim_table "$path" "$prev"
    if [[ -n "$values" ]]; then
        _svcsim_values "$values"
    elif [[ "$cur" == -* ]]; then
        _svcsim_words "$flags"
    elif [[ -n "$subcommands" ]]; then
        _svcsim_words "$subcommands"
    elif [[ -n "$arguments" ]]; then
        _svcsim_values "$arguments"
    fi
}
"""


def script(commands: list[CommandWords]) -> str:
    """The whole script."""
    lines = [_HEAD, f'_svcsim_paths="{" ".join("/".join(command.path) for command in commands)}"', ""]
    lines += ["_svcsim_table() {", '    case "$1" in']
    top = " ".join(command.path[0] for command in commands if len(command.path) == 1)
    lines.append(f'        "") subcommands="{top}" ;;')
    for command in commands:
        lines += _entry(command)
    lines += ["    esac", "}", "", "complete -o default -F _svcsim svcsim", ""]
    return "\n".join(lines)


def _entry(command: CommandWords) -> list[str]:
    names = " ".join(f"--{flag.name}" for flag in command.flags)
    lines = [f"        {'/'.join(command.path)})", f'            flags="{names}"']
    if command.subcommands:
        lines.append(f'            subcommands="{" ".join(command.subcommands)}"')
    if command.arguments:
        lines.append(f'            arguments="{command.arguments}"')
    known = [flag for flag in command.flags if flag.takes_value and (flag.choices or flag.values)]
    if known:
        lines.append('            case "$2" in')
        lines += [f'                {_spellings(flag)}) values="{" ".join(flag.choices) or flag.values}" ;;' for flag in known]
        lines.append("            esac")
    return [*lines, "            ;;"]


def _spellings(flag: FlagWord) -> str:
    return f"-{flag.short}|--{flag.name}" if flag.short else f"--{flag.name}"
