"""Reads what `torch.save` wrote without executing any of it: plain containers, numbers, and nothing else.

A pickle is a program that may call whatever it names. Here every name gives an inert placeholder, whatever is done with
one gives another, and tensors are no more than where their numbers stand: `Scalar` reads one when it is asked.
"""

from __future__ import annotations

import errno
import io
import math
import pickle
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

__all__ = ["Archive", "NotReadable", "Scalar", "number_of"]

MAX_PICKLE = 1 << 30  # bytes of objects in one dump; tokens of a thousand samples are a tenth of that
_MAX_ENTRIES = 1_000_000


class NotReadable(Exception):
    """Why a file is no dump that can be read, in one clause."""


class Inert:
    """What any class, function or object is that a dump names: it does nothing, and keeps no more than its fields."""

    __slots__ = ("fields",)
    fields: dict[Any, Any]

    def __new__(cls, *_: object, **__: object) -> Inert:
        made = object.__new__(cls)
        made.fields = {}
        return made

    def __call__(self, *_: object, **__: object) -> Inert:
        return self

    def __setstate__(self, state: object) -> None:
        if isinstance(state, tuple) and len(state) == 2:  # of a class with slots
            state = state[1]
        if type(state) is dict:
            self.fields = {**self.fields, **state} if self.fields else state

    def __setitem__(self, key: object, value: object) -> None:
        self.fields[key] = value  # of a class derived from dict

    def append(self, _: object) -> None:
        pass

    def extend(self, _: object) -> None:
        pass

    def add(self, _: object) -> None:
        pass


class Table(OrderedDict[Any, Any]):
    """A dict of another kind, a `defaultdict` say; what it was made with is dropped."""

    def __init__(self, *_: object, **__: object) -> None:
        super().__init__()

    def __setstate__(self, _: object) -> None:
        pass


class Scalar(Inert):
    """A number of a tensor or of NumPy: `read` gives it. A tensor of several numbers has no `read`."""

    __slots__ = ("read",)
    read: Callable[[], float] | None

    def __new__(cls, *_: object, **__: object) -> Scalar:
        made = object.__new__(cls)
        made.fields, made.read = {}, None
        return made


class _Storage(NamedTuple):
    """Where the numbers of a tensor stand: the key of an archive's entry, and the type of its items.

    A tuple, since a pickle may set the state of what it holds; a frozen dataclass with slots would take any.
    """

    key: str
    kind: str


class _Kind(Inert):
    """A storage class, by its name."""

    __slots__ = ("name",)
    name: str


class _Call(Inert):
    """A function that a pickle may call. Bare, it would keep the attributes and defaults that a pickle sets."""

    __slots__ = ("_function",)
    _function: Callable[..., object]

    def __new__(cls, function: Callable[..., object]) -> _Call:
        made = object.__new__(cls)
        made.fields, made._function = {}, function
        return made

    def __call__(self, *arguments: object, **_: object) -> Any:
        return self._function(*arguments)


class _Dtype(Inert):
    """A NumPy type, by its code and byte order."""

    __slots__ = ("code",)
    code: str

    def __new__(cls, code: object = "", *_: object, **__: object) -> _Dtype:
        made = object.__new__(cls)
        made.code = "<" + code if isinstance(code, str) else ""
        return made

    def __setstate__(self, state: object) -> None:
        if isinstance(state, tuple) and len(state) > 1 and state[1] == ">":
            self.code = ">" + self.code[1:]


# The items of storages and of NumPy's types, as `struct` has them, and their bytes.
_ITEMS = {
    "DoubleStorage": "d", "FloatStorage": "f", "HalfStorage": "e", "LongStorage": "q", "IntStorage": "i",
    "ShortStorage": "h", "CharStorage": "b", "ByteStorage": "B", "BoolStorage": "?",
}  # fmt: skip
_NUMPY = {
    "f8": "d", "f4": "f", "f2": "e", "i8": "q", "i4": "i", "i2": "h", "i1": "b",
    "u8": "Q", "u4": "I", "u2": "H", "u1": "B", "b1": "?",
}  # fmt: skip
_REBUILDS = {"_rebuild_tensor_v2", "_rebuild_tensor"}
_PARAMETERS = {"_rebuild_parameter", "_rebuild_parameter_with_state"}
_SETS = {"set": set, "frozenset": frozenset}
_TABLES = {("collections", "OrderedDict"), ("collections", "defaultdict"), ("collections", "Counter")}


def number_of(value: object) -> float | None:
    """A number, read where it stands in a tensor of one; None for anything else, a bool included as 0 or 1."""
    if isinstance(value, Scalar):
        return None if value.read is None else value.read()
    try:
        return float(value) if isinstance(value, int | float) else None
    except OverflowError:
        return math.inf


class Archive:
    """A file of `torch.save`, in the format of today (a zip archive) or before version 1.6 (a row of pickles).

    It is open within `with`, for as long as numbers of tensors may be asked for.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open = ExitStack()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def load(self) -> object:
        """What was saved. Raises NotReadable, OSError."""
        try:
            file = self._open.enter_context(self._path.open("rb"))
            return self._load_zip(file) if file.peek(2)[:2] == b"PK" else self._load_row(file)
        except NotReadable:
            raise
        except (MemoryError, OverflowError) as error:
            raise NotReadable("it claims more memory than there is for it") from error
        except (zipfile.BadZipFile, EOFError, struct.error) as error:
            raise NotReadable("it is cut off or damaged") from error
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            raise NotReadable("it is cut off or damaged") from error  # a place before its start
        except Exception as error:  # whatever an unpickler comes upon in a damaged pickle
            raise NotReadable(f"its pickle is damaged ({type(error).__name__})") from error

    def _load_zip(self, file: io.BufferedReader) -> object:
        archive = self._open.enter_context(zipfile.ZipFile(file))
        entries = archive.infolist()
        if len(entries) > _MAX_ENTRIES:
            raise NotReadable("it claims too many entries")
        pickles = [entry for entry in entries if entry.filename.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise NotReadable("it is a zip archive, and none of torch.save")
        entry = pickles[0]
        _require_plain(entry)
        root = entry.filename.removesuffix("data.pkl")
        names = {each.filename: each for each in entries}
        order = ">" if _content(archive, names.get(root + "byteorder")) == b"big" else "<"

        def read(storage: _Storage, offset: int) -> float:
            return _item(file, names.get(root + "data/" + storage.key), storage.kind, offset, order)

        return _Unpickler(io.BytesIO(archive.read(entry)), read).load()

    def _load_row(self, file: io.BufferedReader) -> object:
        """The pickles of the old format: a magic number, a version, sizes of the system, the object; then storages."""
        if self._path.stat().st_size > MAX_PICKLE:
            raise NotReadable("it is no file of torch.save, or too large for one of the old format")
        magic = _Unpickler(file, _unread).load()
        if magic != 0x1950A86A20F9469CFC6C:
            return magic  # a plain pickle
        for _ in range(2):
            _Unpickler(file, _unread).load()
        return _Unpickler(file, _unread).load()


def _item(file: BinaryIO, entry: zipfile.ZipInfo | None, kind: str, offset: int, order: str) -> float:
    """The number at an offset of a storage, read by itself."""
    is_half = kind == "BFloat16Storage"  # the upper half of a float
    code = "H" if is_half else _ITEMS.get(kind)
    if code is None:
        raise NotReadable("a reward is a tensor of a type that is no number")
    size = struct.calcsize("=" + code)
    try:
        if entry is None or not 0 <= offset < entry.file_size // size:
            raise EOFError
        _require_plain(entry, limit=None)
        file.seek(_start_of(entry, file) + size * offset)
        (number,) = struct.unpack(order + code, file.read(size))
    except (EOFError, struct.error, ValueError, OverflowError, OSError) as error:
        raise NotReadable("the numbers of a tensor are missing") from error
    return float(struct.unpack("<f", struct.pack("<I", number << 16))[0]) if is_half else float(number)


def _start_of(entry: zipfile.ZipInfo, file: BinaryIO) -> int:
    """Where the bytes of an entry begin: behind its header, its name and what is added to them.

    zipfile would read all bytes before those that are asked for. Raises EOFError, struct.error, ValueError, OSError.
    """
    file.seek(entry.header_offset)
    header = file.read(30)
    length, more = int.from_bytes(header[26:28], "little"), int.from_bytes(header[28:], "little")
    name = file.read(length).decode("utf-8" if entry.flag_bits & 0x800 else "cp437")
    if header[:4] != b"PK\x03\x04" or name != entry.orig_filename or entry.flag_bits & 1:  # encrypted
        raise EOFError
    return entry.header_offset + 30 + length + more


def _unread(_: _Storage, __: int) -> float:
    raise NotReadable("a reward is a tensor in a file of the old format, which is not read: save it again with torch")


def _require_plain(entry: zipfile.ZipInfo, limit: int | None = MAX_PICKLE) -> None:
    """Raises NotReadable for what torch.save never writes, and what could grow."""
    if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
        raise NotReadable("it is compressed, which torch.save never does")
    if limit is not None and entry.file_size > limit:
        raise NotReadable(f"it claims {entry.file_size:,} bytes of objects; at most {limit:,} are read")
    if getattr(entry, "CRC", None) == 0:
        del entry.CRC  # torch can be told to write no checksums, and writes 0: without it, none is compared


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo | None) -> bytes:
    if entry is None or entry.file_size > 16:
        return b""
    _require_plain(entry)
    return archive.read(entry)


class _Unpickler(pickle.Unpickler):
    """Python's own, which calls nothing but what `find_class` gives: that is where it is disarmed."""

    def __init__(self, file: Any, read: Callable[[_Storage, int], float]) -> None:
        super().__init__(file, encoding="utf-8", errors="replace")
        self._read = read

    def find_class(self, module: str, name: str) -> Any:
        if module in ("builtins", "__builtin__") and name in _SETS:
            return _SETS[name]
        if (module, name) in _TABLES:
            return Table
        if module == "torch._utils" and name in _REBUILDS:
            return _Call(self._tensor)
        if module == "torch._utils" and name in _PARAMETERS:
            return _Call(_first)
        if module in ("torch", "torch.storage") and name.endswith("Storage"):
            kind = _Kind()
            kind.name = name
            return kind
        if module.startswith("numpy") and name == "dtype":
            return _Dtype
        if module.startswith("numpy") and name == "scalar":
            return _Call(_numpy_scalar)
        if module == "_codecs" and name == "encode":
            return _Call(_encode)
        return Inert

    def persistent_load(self, pid: object) -> object:
        match pid:
            case ("storage", _Kind() as kind, str(key), *_):
                return _Storage(key, kind.name)
            case _:
                return Inert()

    def _tensor(self, storage: object = None, offset: object = 0, size: object = (), *_: object) -> Scalar:
        made = Scalar()
        if isinstance(storage, _Storage) and isinstance(offset, int) and _holds_one(size):
            made.read = lambda: self._read(storage, offset)
        return made


def _holds_one(size: object) -> bool:
    return isinstance(size, tuple) and all(type(each) is int and each == 1 for each in size)


def _first(*arguments: object) -> object:
    return arguments[0] if arguments else Inert()


def _encode(text: object = "", *_: object) -> bytes:
    """How older pickles spell bytes."""
    return text.encode("latin-1", errors="replace") if isinstance(text, str) else b""


def _numpy_scalar(dtype: object = None, data: object = None, *_: object) -> Scalar:
    made = Scalar()
    code = _NUMPY.get(dtype.code[1:]) if isinstance(dtype, _Dtype) else None
    if code is not None and isinstance(dtype, _Dtype) and isinstance(data, bytes):
        order = dtype.code[0]
        if len(data) == struct.calcsize("=" + code):
            number = float(struct.unpack(order + code, data)[0])
            made.read = lambda: number
    return made
