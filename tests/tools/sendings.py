# SPDX-License-Identifier: BSD-2-Clause
"""Logs of a serial port with framed lines, and damage to such lines.

The lines are made according to pmu/files/frames.h, not with the code that reads them.
"""
import base64
import zlib

PIECE = 36
NOISE = (b"login: ", b"[ 12.345678] usb 1-1: new device\r\n", b"\x1b[2J\x1b[01;01H", b"\r",
         b"Frames: 256 of 900 lines, about 7 s left; Q ends it\r", b"@BC1:", b"@BC2:0000", b"\0\0")
ESCAPES = (b"\x1b[0m", b"\x1b[37m\x1b[40m", b"\x1b[12;40H", b"\x1b=", b"\x1b(B", b"\r\n", b"\0",
           b"\x1b]0;a title\x07")
ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=:@ \r\n\x1b\x80\xff"


def frame(sending, file, line, payload):
    text = b"@BC%s:%x:%05x:%s" % (sending, file, line, base64.b64encode(payload))
    return text + b":%08x" % zlib.crc32(text)


def sent(content, version=2):
    """From version 2 on, files are deflated, here by zlib."""
    if version == 1:
        return content
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(content) + stream.flush()


def pieces(content, version=2):
    stream = sent(content, version)
    return [stream[at:at + PIECE] for at in range(0, len(stream), PIECE)]


def sending_of(files, number, run_id, version=2):
    """All framed lines that send a run, in order: [(file, line number, text)]."""
    heads = [b"run %04d %s %d" % (number, run_id.encode(), len(files))]
    heads += [b"%s %d %08x" % (name.encode(), len(sent(content, version)), zlib.crc32(content))
              for name, content in files.items()]
    ident = b"%d:%08x" % (version, zlib.crc32(b"".join(heads)))
    table = [(0, line, frame(ident, 0, line, head)) for line, head in enumerate(heads)]
    lines = list(table)
    for file, content in enumerate(files.values(), 1):
        lines += [(file, line, frame(ident, file, line, piece))
                  for line, piece in enumerate(pieces(content, version))]
        lines += table
    return lines + [(0, len(heads), frame(ident, 0, len(heads), b"end"))]


def damage(chance, text):
    at = chance.randrange(len(text))
    kind = chance.randrange(7)
    if kind == 0:  # a flipped bit in a byte
        return text[:at] + bytes([text[at] ^ 1 << chance.randrange(8)]) + text[at + 1:]
    if kind == 1:  # another valid character: the line keeps its form
        others = [c for c in ALPHABET[:64] if c != text[at]]
        return text[:at] + bytes([chance.choice(others)]) + text[at + 1:]
    if kind == 2:  # lost bytes
        return text[:at] + text[at + chance.randrange(1, 6):]
    if kind == 3:  # a lost end
        return text[:at]
    if kind == 4:  # repeated bytes
        return text[:at + 1] + text[at:]
    if kind == 5:  # another program's output in the middle
        return text[:at] + b"Q" + chance.choice(NOISE)[:5] + text[at:]
    return text[:at] + text[at:][::-1] + b"?"  # a burst error


def is_intact(text, original):
    """Terminal escapes within a line do no damage, and neither does text around the line."""
    for escape in ESCAPES:
        text = text.replace(escape, b"")
    return original in text


def log_of(chance, lines, rate):
    """A log, and the (file, line) pairs that arrived undamaged at least once."""
    log, came = [], set()
    for file, line, text in lines:
        copies = 1 + (chance.random() < rate)
        for _ in range(copies):
            fate = chance.random()
            if fate < rate / 2:
                continue
            sent = damage(chance, text) if fate < rate else text
            if sent is text and chance.random() < rate:
                at = chance.randrange(len(text))
                sent = text[:at] + chance.choice(ESCAPES) + text[at:]
            if sent == text or is_intact(sent, text):
                came.add((file, line))
            if chance.random() < rate:
                log.append(chance.choice(NOISE))
            log.append(sent + chance.choice((b"\r\n", b"\n", b"\r\r\n", b"\r")))
    return b"".join(log), came


def joined(lines):
    return b"\r\n".join(text for *_, text in lines) + b"\r\n"
