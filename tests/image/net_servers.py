# SPDX-License-Identifier: BSD-2-Clause
"""Servers for a machine of QEMU's with user networking: they are at 10.0.2.2 there.

On 127.0.0.1 alone, on ports that are free, and gone at the end of the `with`.
"""
import contextlib
import http.server
import pathlib
import socket
import struct
import threading
import time

HOST = "10.0.2.2"  # this host, for the guest
HALF_CLOSED_BYTES = 100  # a server that closes has read so much of a file
STOP_S = 5

RRQ, WRQ, DATA, ACK, ERROR, OACK = range(1, 7)
NO_FILE, ACCESS, EXISTS = 1, 2, 6
BLOCK, TRY_S, TRIES = 512, 0.5, 20


class _Handler(http.server.BaseHTTPRequestHandler):
    """GET, HEAD, and PUT, which keeps what is there; or a fault in the place of PUT."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def _path(self):
        return self.server.folder / self.path.lstrip("/")

    def _answer(self, status, body=b"", head_only=False):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not head_only:
            self.wfile.write(body)

    def _get(self, head_only):
        self.server.asked.append((self.command, self.path))
        path = self._path()
        if self.server.answers:
            self._answer(next(self.server.answers), head_only=head_only)
        elif path.is_file():
            self._answer(200, path.read_bytes(), head_only)
        else:
            self._answer(404, head_only=head_only)

    def do_GET(self):
        self._get(False)

    def do_HEAD(self):
        self._get(True)

    def do_PUT(self):
        self.server.asked.append((self.command, self.path))
        fault, length = self.server.fault, int(self.headers["Content-Length"])
        if fault == "closes":
            self.rfile.read(min(length, HALF_CLOSED_BYTES))
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        body = self.rfile.read(length)
        if fault == "silent":
            self.server.stopping.wait(60)
            self.close_connection = True
        elif fault or self.server.answers:
            self._answer(fault or next(self.server.answers))
        elif self._path().exists() and self.headers["If-None-Match"] == "*":
            self._answer(412)
        else:
            self._path().write_bytes(body)
            self._answer(201)


@contextlib.contextmanager
def http_server(folder, fault=None, answers=None):
    """A server of a folder; .url is its address for the guest, .asked what was asked of it.

    A fault is the status that it answers any PUT with, "closes" or "silent"; `answers` has the
    status of each request.
    """
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.folder, server.fault, server.asked = pathlib.Path(folder), fault, []
    server.answers, server.stopping = answers, threading.Event()
    server.url = f"http://{HOST}:{server.server_address[1]}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        thread.join(STOP_S)
        server.server_close()


class TftpServer:
    """RFC 1350 with blksize of RFC 2348: reads, and writes of files that are not there.

    A fault is the code of the error that it answers any write with, "silent", or "leaves": the
    first write finds the file there, and then nothing is answered. Files in made_meanwhile are
    absent when looked for, and there when somebody writes.
    """

    def __init__(self, folder, fault=None, made_meanwhile=()):
        self.folder, self.fault, self.asked = pathlib.Path(folder), fault, []
        self._made_meanwhile = made_meanwhile
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(0.1)
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._serve)]
        self.url = f"tftp://{HOST}:{self._socket.getsockname()[1]}/"

    def __enter__(self):
        self._threads[0].start()
        return self

    def __exit__(self, *_):
        self._stopping.set()
        for thread in self._threads:
            thread.join(STOP_S)
        self._socket.close()

    def _serve(self):
        while not self._stopping.is_set():
            with contextlib.suppress(TimeoutError):
                packet, client = self._socket.recvfrom(2048)
                thread = threading.Thread(target=self._transfer, args=(packet, client))
                self._threads.append(thread)
                thread.start()

    def _transfer(self, packet, client):
        opcode = struct.unpack_from(">H", packet)[0]
        name, _, *options = [part.decode() for part in packet[2:].rstrip(b"\0").split(b"\0")]
        options = dict(zip(options[::2], options[1::2]))
        self.asked.append(("RRQ" if opcode == RRQ else "WRQ", name))
        if self.fault == "left":
            return
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.bind(("127.0.0.1", 0))
            own.settimeout(TRY_S)
            own.connect(client)
            with contextlib.suppress(TimeoutError, ConnectionError):
                (self._send if opcode == RRQ else self._take)(own, self.folder / name, options)

    def _ask(self, own, packet, want):
        """Send a packet until the answer that is wanted comes; that answer."""
        for _ in range(TRIES):
            own.send(packet)
            with contextlib.suppress(TimeoutError):
                while not self._stopping.is_set():
                    answer = own.recv(65536)
                    if answer[:4] == want:
                        return answer
                    if answer[:2] == struct.pack(">H", ERROR):
                        raise ConnectionError
            if self._stopping.is_set():
                break
        raise TimeoutError

    @staticmethod
    def _error(own, code, words):
        own.send(struct.pack(">HH", ERROR, code) + words + b"\0")

    @staticmethod
    def _accepted(options):
        """What of the options is taken, and the size of a block."""
        if "blksize" not in options:
            return b"", BLOCK
        return b"blksize\0" + options["blksize"].encode() + b"\0", int(options["blksize"])

    def _send(self, own, path, options):
        if not path.is_file():
            self._error(own, NO_FILE, b"File not found")
            return
        content = path.read_bytes()
        taken, size = self._accepted(options)
        if taken:
            self._ask(own, struct.pack(">H", OACK) + taken, struct.pack(">HH", ACK, 0))
        for block in range(len(content) // size + 1):
            number = (block + 1) & 0xffff
            data = struct.pack(">HH", DATA, number) + content[block * size:(block + 1) * size]
            self._ask(own, data, struct.pack(">HH", ACK, number))

    def _take(self, own, path, options):
        if self.fault == "silent":
            return
        if self.fault == "leaves":
            self.fault = "left"
            self._error(own, EXISTS, b"File already exists")
            return
        if self.fault:
            self._error(own, self.fault, b"Access violation")
            return
        if path.name in self._made_meanwhile:
            path.write_text("somebody else's")
            self._error(own, EXISTS, b"File already exists")
            return
        taken, size = self._accepted(options)
        answer = struct.pack(">H", OACK) + taken if taken else struct.pack(">HH", ACK, 0)
        content, block = b"", 0
        while True:
            block = (block + 1) & 0xffff
            data = self._ask(own, answer, struct.pack(">HH", DATA, block))[4:]
            content += data
            answer = struct.pack(">HH", ACK, block)
            if len(data) < size:
                break
        path.write_bytes(content)
        own.send(answer)


@contextlib.contextmanager
def nobody():
    """The address of an HTTP server that is not there: connections are refused."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # not listening, and nobody else's meanwhile
        yield f"http://{HOST}:{closed.getsockname()[1]}/"


def wait_until(condition, timeout_s):
    """Wait until condition() holds. False: it has not, in this time."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
