"""The process in which a user's Python file answers reviews: it may hang, crash or print whatever it likes, and serving goes on.

``python -P worker.py FILE`` prints one line of JSON that says what the file defines, and then answers each line of its input: with one line
when a function is called, and with another when it has returned, which has the return value and the changed object. `answers` interprets
that. Each of these lines has the number of its question, so that answers can't be mixed up. The file's own output goes to stderr, as stdout
is for the answers. Each question has a thread of its own, so that none waits for another.

At the end of its input the process exits at once, whatever hangs: its parent is gone.

Everything needed is imported before the file's directory can be searched, and nothing of svcsim is imported: so modules beside the file,
whatever their names, don't interfere.

The file defines ``validate(request)``, ``mutate(request)`` or both. They are given the AdmissionRequest as a map.
"""

import asyncio
import inspect
import io
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from svcsim.meta.types import Object

FUNCTIONS = ("mutate", "validate")
SETTINGS = ("RESOURCES", "OPERATIONS", "FAILURE_POLICY")
"""What a file may say of its registration, as text or as a list of texts."""


class _NoAnswerError(Exception):
    """What a function gave back is no answer."""


class _Shown(io.FileIO):
    """Where goes what a file prints: to a terminal, most often, and that it is gone fails nothing."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class _Answers:
    """Where answers go: those of the process that is asked. A process that the user's file has forked ends instead."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._asked = os.getpid()
        self._one_at_a_time = threading.Lock()

    def say(self, number: int, told: dict[str, str]) -> None:
        self.check_asked()
        parts = ", ".join(f'"{name}": {text}' for name, text in {"number": str(number), **told}.items())
        try:
            with self._one_at_a_time:
                self._out.write(f"{{{parts}}}\n")
                self._out.flush()
        except OSError:  # nobody reads answers any more
            _end()

    def check_asked(self, error: BaseException | None = None) -> None:
        """End where this is a process of which nothing was asked; what made it fail it still tells."""
        if os.getpid() == self._asked:
            return
        if error is not None and not isinstance(error, SystemExit):
            traceback.print_exception(error)
        os._exit(error.code if isinstance(error, SystemExit) and isinstance(error.code, int) else int(error is not None))


def main() -> None:
    """Answer reviews until the end of the input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process decides when it ends
    path, answers = Path(sys.argv[1]), _Answers(os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1))
    os.dup2(2, 1)
    sys.stdout, sys.stderr = (io.TextIOWrapper(_Shown(number, "w", closefd=False), "utf-8", write_through=True) for number in (1, 2))
    reviews = os.fdopen(os.dup(0), encoding="utf-8")
    with Path(os.devnull).open() as nothing:  # what the file starts reads no reviews
        os.dup2(nothing.fileno(), 0)
    name = f"_{path.stem}" if path.stem in sys.stdlib_module_names else path.stem
    module = ModuleType(name)
    asked = threading.Thread(target=_answer_all, args=(reviews, module, path, answers), daemon=True)
    asked.start()
    sys.path.insert(0, str(path.parent))
    try:
        _load(module, path)
        answers.say(0, _hello(module, path.parent))
    except BaseException as error:  # noqa: BLE001 - a user's file may raise anything; it is told, and tried again when the file is another
        answers.check_asked(error)
        answers.say(0, {"error": json.dumps(_told(path))})
    asked.join()


def _answer_all(reviews: IO[str], module: ModuleType, path: Path, answers: _Answers) -> None:
    """Have each review answered until the parent process is gone: by then the file may still be loading."""
    for line in reviews:
        threading.Thread(target=_answer_one, args=(json.loads(line), module, path, answers), daemon=True).start()
    _end()


def _answer_one(asked: "Object", module: ModuleType, path: Path, answers: _Answers) -> None:
    number = asked["number"]
    answers.say(number, {"begun": "true"})
    try:
        answer = _answer(module, asked["function"], asked["request"])
    except BaseException as error:  # noqa: BLE001 - a user's function may raise anything; it is told
        answers.check_asked(error)
        answer = {"error": json.dumps(_told(path))}
    answers.say(number, answer)


def _end() -> NoReturn:
    """End, with all that the file has started in the process group that this one leads."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(0)


def _load(module: ModuleType, path: Path) -> None:
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    try:
        text = path.read_bytes()
    except OSError as error:
        raise _NoAnswerError(f"{path.name} can't be read: {(error.strerror or str(error)).lower()}") from error
    try:
        code = compile(text, str(path), "exec")
    except ValueError as error:  # what Python before 3.11.4 says of null bytes
        raise SyntaxError(str(error)) from error
    exec(code, module.__dict__)  # noqa: S102 - it is what the user asks for


def _hello(module: ModuleType, directory: Path) -> dict[str, str]:
    """What the file defines, each part of it as JSON."""
    functions = [name for name in FUNCTIONS if callable(getattr(module, name, None))]
    for name in functions:
        _check_takes_a_request(name, getattr(module, name))
    settings = {name: getattr(module, name) for name in SETTINGS if hasattr(module, name)}
    for name, value in settings.items():
        _json(value, name)
    told = {"functions": functions, "settings": settings, "names": [name for name in vars(module) if not name.startswith("_")]}
    told["files"] = sorted(_own_files(directory))
    return {name: json.dumps(value) for name, value in told.items()}


def _check_takes_a_request(name: str, function: Callable[..., object]) -> None:
    try:
        inspect.signature(function).bind({})
    except TypeError as error:
        raise _NoAnswerError(f"{name} can't be called with a request, as {name}(request): {error}") from error
    except ValueError:
        return  # of some that aren't written in Python nobody knows what they take


def _own_files(directory: Path) -> set[str]:
    """The files beside the user's that it has imported: when they change, everything is loaded anew."""
    found = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return {str(Path(file).resolve()) for file in found if file and _is_own(Path(file), directory)}


def _answer(module: ModuleType, function: str, request: "Object") -> dict[str, str]:
    """What came of it, each part of it as JSON."""
    returned = getattr(module, function)(request)
    if inspect.iscoroutine(returned):
        returned = asyncio.run(returned)
    return {
        "returned": _json(returned, f"what {function} returned"),
        "left": _json(request.get("object"), f'what {function} left in request["object"]'),
    }


def _json(value: object, what: str) -> str:
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()  # half of a character can't be
    except (TypeError, ValueError, RecursionError) as error:
        raise _NoAnswerError(f"{what} is no JSON: {error}") from error
    return text


def _told(path: Path) -> str:
    """What went wrong, in a line, which says where in the user's own files; all of it as far as it is the user's goes to stderr."""
    kind, error, trace = sys.exc_info()
    while trace is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    if isinstance(error, _NoAnswerError):
        return str(error)
    sys.stderr.write(_harmless("".join(traceback.format_exception(kind, error, trace))))  # at once: others may have something to tell, too
    name = kind.__name__ if kind is not None else ""
    if isinstance(error, SyntaxError):
        where = Path(error.filename or path).name + (f":{error.lineno}" if error.lineno else "")
        return f"{where}: {name}: {error.msg}"
    frames = traceback.extract_tb(trace)
    own = [frame for frame in frames if _is_own(Path(frame.filename), path.parent)] or frames
    where = f"{Path(own[-1].filename).name}:{own[-1].lineno}: " if own else ""
    return f"{where}{name}{f': {error}' if str(error) else ''}"


def _is_ours(file: str) -> bool:
    """Whether it is of what calls the user's functions: this file, and what waits for those that are ``async``."""
    return file == __file__ or Path(file).parent == Path(asyncio.__file__).parent


def _harmless(text: str) -> str:
    """A text in which nothing tells a terminal what to do."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else ascii(letter)[1:-1] for letter in text)


def _is_own(file: Path, directory: Path) -> bool:
    """Whether it is of the user's files, and not a library's that happens to lie among them."""
    return file.resolve().is_relative_to(directory.resolve()) and "site-packages" not in file.parts


if __name__ == "__main__":
    main()
