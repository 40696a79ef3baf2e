"""The completion script for fish."""

from svcsim.cli.own.completion.model import OR_FILES, CommandWords, FlagWord, asked_for, global_flags

_HEAD = """# fish completion for svcsim, printed by: svcsim completion fish
# Put it into ~/.config/fish/completions/svcsim.fish

function __svcsim_words
    set -l skip no
    for word in (commandline -opc)[2..-1]
        if test $skip = yes
            set skip no
        else if contains -- $word VALUED
            set skip yes
        else
            string match -q -- '-*' $word; or echo $word
        end
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

function __svcsim_ask
    svcsim __complete $argv[1] (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end

function __svcsim_several
    set -l before (commandline -ct | string replace -r -- '^--[^=]*=' '' | string replace -r -- '[^,]*$' '')
    printf '%s\\n' $before$argv
end

complete -c svcsim -f
"""


def script(commands: list[CommandWords]) -> str:
    """The whole script."""
    flags = global_flags()
    valued = [word for flag in flags if flag.takes_value for word in (f"--{flag.name}", *([f"-{flag.short}"] if flag.short else []))]
    lines = [_HEAD.replace("VALUED", " ".join(valued))]
    lines += [f"complete -c svcsim -n '__svcsim_exactly' {_flag(flag)}" for flag in flags]
    for command in commands:
        parents = " ".join(command.path[:-1])
        lines.append(f"complete -c svcsim -n '{f'__svcsim_exactly {parents}'.strip()}' -a {command.path[-1]} -d {_quoted(command.doc)}")
    for command in commands:
        at = f"__svcsim_at {' '.join(command.path)}"
        if command.arguments == "file":
            lines.append(f"complete -c svcsim -n '{at}' -F")
        elif asked_for(command.arguments):
            files = " -F" if command.arguments in OR_FILES else ""
            lines.append(f"complete -c svcsim -n '{at}'{files} -a '(__svcsim_ask {command.arguments})'")
        lines += [f"complete -c svcsim -n '{at}' {_flag(flag)}" for flag in command.flags]
    return "\n".join(lines) + "\n"


def _flag(flag: FlagWord) -> str:
    words = [f"-l {flag.name}", *([f"-s {flag.short}"] if flag.short else []), f"-d {_quoted(flag.doc)}"]
    if flag.takes_value:
        words.append("-r -F" if flag.values == "file" else "-x")
        if flag.several:
            words.append(f"-a '(__svcsim_several {' '.join(flag.choices)})'")
        elif flag.choices:
            words.append(f"-a {_quoted(' '.join(flag.choices))}")
        elif asked_for(flag.values):
            words.append(f"-a '(__svcsim_ask {flag.values})'")
    return " ".join(words)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
