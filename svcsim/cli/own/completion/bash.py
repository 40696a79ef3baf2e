"""The completion script for bash (and the table it works from)."""

from svcsim.cli.own.completion.model import OR_FILES, CommandWords, FlagWord, asked_for, global_flags

_HEAD = """# bash completion for svcsim, printed by: svcsim completion bash
# Load it with: source <(svcsim completion bash)

# Not by compgen -W: that runs what stands in words, and others have written some of them.
_svcsim_lines() {
    local line
    while IFS= read -r line; do
        [[ -n "$line" && "$line" == "$cur"* ]] && COMPREPLY+=("$line")
    done <<< "$1"
}

_svcsim_words() { _svcsim_lines "${1// /$'\n'}"; }

_svcsim_asked() {
    local index
    _svcsim_lines "$(svcsim __complete "$1" "${words[@]:1}" 2>/dev/null)"
    for index in "${!COMPREPLY[@]}"; do
        [[ "${COMPREPLY[index]}" == *[!A-Za-z0-9,./:=@%+_-]* ]] && printf -v "COMPREPLY[$index]" %q "${COMPREPLY[index]}"
    done
}

_svcsim_files() {
    local line
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
}

_svcsim_values() {
    local before="" word
    case "$1" in
        file) _svcsim_files ;;
        ask/*) _svcsim_asked "${1#ask/}" ;;
        ask-or-file/*)
            _svcsim_asked "${1#ask-or-file/}"
            [[ ${#COMPREPLY[@]} -eq 0 ]] && _svcsim_files ;;
        or-file/*) _svcsim_words "${1#or-file/}"; _svcsim_files ;;
        several/*)
            [[ "$cur" == *,* ]] && before="${cur%,*},"
            for word in ${1#several/}; do
                [[ "$before$word" == "$cur"* ]] && COMPREPLY+=("$before$word")
            done ;;
        *) _svcsim_words "$1" ;;
    esac
}

_svcsim() {
    local -a words=("${COMP_WORDS[0]}")
    local cur prev path="" word skip="" last=0 index flags="" arguments="" subcommands="" values=""
    # bash takes a word with = or : in it for several
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        case "$word" in
            =|:) words[last]+="$word"; continue ;;
        esac
        case "${words[last]}" in
            --*=|*:) words[last]+="$word" ;;
            *) words+=("$word"); last=$((last + 1)) ;;
        esac
    done
    COMPREPLY=()
    cur="${words[last]}"
    prev="${words[last-1]}"
    case "$cur" in
        --*=*) prev="${cur%%=*}"; cur="${cur#*=}" ;;
    esac
    for word in "${words[@]:1:last-1}"; do
        if [[ -n "$skip" ]]; then
            skip=""
        elif [[ " $_svcsim_valued " == *" $word "* ]]; then
            skip="yes"
        elif [[ " $_svcsim_paths " == *" ${path:+$path/}$word "* ]]; then
            path="${path:+$path/}$word"
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
    if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *[/:=] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    if [[ "$cur" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${cur%:*}:"}")
    fi
}
"""


def script(commands: list[CommandWords]) -> str:
    """The whole script."""
    paths, valued = " ".join("/".join(command.path) for command in commands), " ".join(_valued(global_flags()))
    lines = [_HEAD, f'_svcsim_paths="{paths}"', f'_svcsim_valued="{valued}"', ""]
    lines += ["_svcsim_table() {", '    case "$1" in']
    top = tuple(command.path[0] for command in commands if len(command.path) == 1)
    for command in (CommandWords((), "", global_flags(), top, ""), *commands):
        lines += _entry(command)
    lines += ["    esac", "}", "", "complete -o default -F _svcsim svcsim", ""]
    return "\n".join(lines)


def _entry(command: CommandWords) -> list[str]:
    names = " ".join(f"--{flag.name}" for flag in command.flags)
    lines = [f"        {'/'.join(command.path) or chr(34) * 2})", f'            flags="{names}"']
    if command.subcommands:
        lines.append(f'            subcommands="{" ".join(command.subcommands)}"')
    if command.arguments:
        lines.append(f'            arguments="{_named(command.arguments)}"')
    known = [flag for flag in command.flags if flag.takes_value and (flag.choices or flag.values == "file" or asked_for(flag.values))]
    if known:
        lines.append('            case "$2" in')
        lines += [f'                {_spellings(flag)}) values="{_values(flag)}" ;;' for flag in known]
        lines.append("            esac")
    return [*lines, "            ;;"]


def _values(flag: FlagWord) -> str:
    if flag.choices:
        kind = "several/" if flag.several else "or-file/" if flag.values == "file" else ""
        return kind + " ".join(flag.choices)
    return _named(flag.values)


def _named(values: str) -> str:
    if not asked_for(values):
        return values
    return f"ask-or-file/{values}" if values in OR_FILES else f"ask/{values}"


def _spellings(flag: FlagWord) -> str:
    return f"-{flag.short}|--{flag.name}" if flag.short else f"--{flag.name}"


def _valued(flags: tuple[FlagWord, ...]) -> list[str]:
    """How flags are spelled that take the next word as their value."""
    return [word for flag in flags if flag.takes_value for word in _spellings(flag).split("|")]
