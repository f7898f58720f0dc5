# SPDX-License-Identifier: BSD-2-Clause
"""Extract a run's files from framed lines; pmu/files/frames.h defines the format.

Version 1 of the format, which does not deflate files, is supported too. Lines with a wrong checksum
are ignored.
"""
import base64
import binascii
import re
import zlib

PAYLOAD_BYTES = 36
FILES_MAX = 15
MARK = "@BC2:"
NEWER = re.compile(r"@BC([3-9]|\d\d+):[0-9a-f]{8}:")
_MARK = re.compile(r"(?=@BC[12]:)")
_FRAME = re.compile(r"@BC([12]:[0-9a-f]{8}):([0-9a-f]):([0-9a-f]{5}):([A-Za-z0-9+/]+=?=?)"
                    r":([0-9a-f]{8})")
_RUN = re.compile(r"run (\d{4,5}) ([0-9a-f]{16}) (\d{1,2})")
_FILE = re.compile(r"([a-z0-9]+(?:\.[a-z]+)?) (\d{1,8}) ([0-9a-f]{8})")
# Escape sequences move the cursor, or set colors, character sets or titles.
_ESCAPE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|[()][0-9A-Za-z]|[=>78cDEHM]|"
                     r"\][^\x07\x1b\r\n]{0,200}(\x07|\x1b\\))")
_LINE_ENDS = str.maketrans("", "", "\r\n\0")  # a terminal may wrap lines


def decode(text):
    """Return (sending, file, line, payload), or None if the frame is damaged.

    `sending` consists of the format's version and the id of the transmission.
    """
    found = _FRAME.match(text)
    if not found:
        return None
    sending, file, line, encoded, crc = found.groups()
    if zlib.crc32(found.group(0)[:-9].encode("ascii")) != int(crc, 16):
        return None
    try:
        payload = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return None
    return sending, int(file, 16), int(line, 16), payload


def inflated(parts):
    """Return the content up to the first damaged place in the deflate stream."""
    stream, content = zlib.decompressobj(-zlib.MAX_WBITS), []
    for part in parts:
        try:
            content.append(stream.decompress(part))
        except zlib.error:
            break
    return b"".join(content)


class Entry:
    """`size` is the number of bytes that were sent. `crc` is the checksum of the inflated file."""

    def __init__(self, name, size, crc, deflated):
        self.name, self.size, self.crc, self.deflated = name, size, crc, deflated
        self._lines = {}  # number -> payloads; several if a checksum missed damage

    @property
    def key(self):
        return self.name, self.size, self.crc, self.deflated

    @property
    def count(self):
        return -(-self.size // PAYLOAD_BYTES)

    def add(self, line, payload):
        if line >= self.count or len(payload) != self._size_of(line):
            return False
        self._lines.setdefault(line, set()).add(payload)
        return True

    def _size_of(self, line):
        return min(PAYLOAD_BYTES, self.size - line * PAYLOAD_BYTES)

    @property
    def missing(self):
        """A line is also missing if its copies have different contents."""
        return [line for line in range(self.count) if len(self._lines.get(line, ())) != 1]

    def begin(self):
        parts = []
        for line in range(self.count):
            if len(self._lines.get(line, ())) != 1:
                break
            parts += self._lines[line]
        return inflated(parts) if self.deflated else b"".join(parts)

    def is_whole(self, content):
        return zlib.crc32(content) == self.crc

    def content(self):
        """Return None if lines are missing or the checksum is wrong."""
        content = self.begin()
        return content if self.is_whole(content) else None


class Run:
    def __init__(self, number, run_id):
        self.number, self.run_id = number, run_id
        self.files = 0      # according to the table of contents
        self.entries = {}   # {Entry.key: Entry}
        self.nameless = []  # (number, lines that arrived) of files that the table lacks
        self.ended = False  # the last line of a transmission arrived


class Log:
    def __init__(self):
        self._sendings = {}  # {sending of decode(): {(file, line): payloads}}
        self.lines = 0       # undamaged lines, including duplicates
        self.damaged = 0     # damaged lines whose mark is readable
        self.newer = False   # there are lines of a later version

    def add(self, raw):
        text = _ESCAPE.sub("", raw.decode("latin-1")).translate(_LINE_ENDS)
        self.newer |= NEWER.search(text) is not None
        for piece in _MARK.split(text)[1:]:
            frame = decode(piece)
            if frame:
                sending, file, line, payload = frame
                place = self._sendings.setdefault(sending, {})
                place.setdefault((file, line), set()).add(payload)
                self.lines += 1
            else:
                self.damaged += 1

    def runs(self):
        found = {}
        for sending, lines in self._sendings.items():
            _join(found, sending, lines)
        return list(found.values())


def _contents(lines, number, pattern):
    payloads = lines.get((0, number), ())
    for payload in payloads:
        match = pattern.fullmatch(payload.decode("latin-1"))
        if match and len(payloads) == 1:
            return match
    return None


def _join(found, sending, lines):
    head = _contents(lines, 0, _RUN)
    number, run_id, files = head.groups() if head else ("unknown", f"sending {sending}", 0)
    run = found.setdefault(run_id, Run(number, run_id))
    run.files = max(run.files, int(files))
    named = [line for file, line in lines
             if file == 0 and line <= FILES_MAX and _contents(lines, line, _FILE)]
    known = max([min(int(files), FILES_MAX), *named, *(file for file, _ in lines)])
    for file in range(1, known + 1):
        came = {line: payloads for (of, line), payloads in lines.items() if of == file}
        entry = _contents(lines, file, _FILE)
        if not entry:
            run.nameless.append((file, len(came)))
            continue
        entry = Entry(entry.group(1), int(entry.group(2)), int(entry.group(3), 16),
                      not sending.startswith("1:"))
        entry = run.entries.setdefault(entry.key, entry)
        for line, payloads in came.items():
            for payload in payloads:
                entry.add(line, payload)
    run.ended |= any(payload == b"end" for (file, line), payloads in lines.items()
                     for payload in payloads if file == 0 and line == known + 1)
