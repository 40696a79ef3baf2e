"""The completion script for fish."""

from svcsim.cli.own.completion.model import CommandWords, FlagWord

_HEAD = """# fish completion for svcsim, printed by: svcsim completion fish
# Put it into ~/.config/fish/completions/svcsim.fish

function __svcsim_words
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or echo $word
    end
end

function __svcsim_at
    set -l words (__svcsim_words)
    test (count $words) -ge (count $argv); or return 1
    for index in (seq (count $argv))
        test $words[$index] = $argv[$index]; or return 1
    end
end

function __svcsim_exactly
    test (count (__svcsim_words)) -eq (count $argv); and begin
        test (count $argv) -eq 0; or __svcsim_at $argv
    end
end

function __svcsim_cluster; svcsim clusters 2>/dev/null | awk 'NR>1 {print $1}'; end
function __svcsim_namespace; svcsim get namespaces --no-headers 2>/dev/null | awk '{print $1}'; end
function __svcsim_context; svcsim config get-contexts -o name 2>/dev/null; end
function __svcsim_pod; svcsim get pods --no-headers 2>/dev/null | awk '{print $1}'; end
function __svcsim_resource
    set -l words (__svcsim_words)
    if test (count $words) -ge 2
        svcsim get $words[2] --no-headers 2>/dev/null | awk '{print $1}'
    else
        svcsim api-resources --cached -o name 2>/dev/null
    end
end

complete -c svcsim -f
"""


def script(commands: list[CommandWords]) -> str:
    """The whole script."""
    lines = [_HEAD]
    for command in commands:
        parents = " ".join(command.path[:-1])
        lines.append(f"complete -c svcsim -n '{f'__svcsim_exactly {parents}'.strip()}' -a {command.path[-1]} -d {_quoted(command.doc)}")
    for command in commands:
        at = f"__svcsim_at {' '.join(command.path)}"
        if command.arguments == "file":
            lines.append(f"complete -c svcsim -n '{at}' -F")
        elif command.arguments:
            lines.append(f"complete -c svcsim -n '{at}' -a '(__svcsim_{command.arguments})'")
        lines += [f"complete -c svcsim -n '{at}' {_flag(flag)}" for flag in command.flags]
    return "\n".join(lines) + "\n"


def _flag(flag: FlagWord) -> str:
    words = [f"-l {flag.name}", *([f"-s {flag.short}"] if flag.short else []), f"-d {_quoted(flag.doc)}"]
    if flag.takes_value:
        words.append("-r")
        if flag.choices:
            words.append(f"-a {_quoted(' '.join(flag.choices))}")
        elif flag.values == "file":
            words.append("-F")
        elif flag.values in ("cluster", "namespace", "context"):
            words.append(f"-a '(__svcsim_{flag.values})'")
    return " ".join(words)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
