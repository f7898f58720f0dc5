# SPDX-License-Identifier: BSD-2-Clause
"""HTTP and TFTP servers for a QEMU machine with user networking, which sees them at 10.0.2.2.

The TFTP server never overwrites a file. The HTTP server overwrites unless a request has
`If-None-Match: *`.
"""
import contextlib
import http.server
import pathlib
import socket
import struct
import threading

HOST = "10.0.2.2"
STOP_S = 5

RRQ, WRQ, DATA, ACK, ERROR, OACK = range(1, 7)
NO_FILE, EXISTS = 1, 6
BLOCK, TRY_S, TRIES = 512, 0.5, 20


def inside(folder, name):
    path = (pathlib.Path(folder) / name.lstrip("/")).resolve()
    return path if path.is_relative_to(pathlib.Path(folder).resolve()) else None


class HttpHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def path_here(self):
        return inside(self.server.folder, self.path)

    def answer(self, status, body=b"", head_only=False):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not head_only:
            self.wfile.write(body)

    def give(self, head_only):
        path = self.path_here()
        if path and path.is_file():
            self.answer(200, path.read_bytes(), head_only)
        else:
            self.answer(404, head_only=head_only)

    def take(self, length):
        body, path = self.rfile.read(length), self.path_here()
        if not path:
            self.answer(404)
        elif path.exists() and self.headers["If-None-Match"] == "*":
            self.answer(412)
        else:
            path.write_bytes(body)
            self.answer(201)

    def do_GET(self):
        self.server.asked.append((self.command, self.path))
        self.give(head_only=False)

    def do_HEAD(self):
        self.server.asked.append((self.command, self.path))
        self.give(head_only=True)

    def do_PUT(self):
        self.server.asked.append((self.command, self.path))
        self.take(int(self.headers["Content-Length"]))


@contextlib.contextmanager
def http_server(folder, handler=HttpHandler, **known):
    """Serve a folder over HTTP, and yield the server.

    .url is its address for the guest, .asked lists the requests, and `known` sets further
    attributes.
    """
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.folder, server.asked = pathlib.Path(folder), []
    for name, value in known.items():
        setattr(server, name, value)
    server.stopping = threading.Event()
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
    """A TFTP server (RFC 1350) with the option blksize (RFC 2348)."""

    def __init__(self, folder):
        self.folder, self.asked = pathlib.Path(folder), []
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
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.bind(("127.0.0.1", 0))
            own.settimeout(TRY_S)
            own.connect(client)
            with contextlib.suppress(TimeoutError, ConnectionError):
                path = inside(self.folder, name)
                if not path:
                    self.error(own, NO_FILE, b"File not found")
                else:
                    (self.send if opcode == RRQ else self.take)(own, path, options)

    def _ask(self, own, packet, want):
        """Send a packet repeatedly until the expected answer arrives; return the answer.

        Raises TimeoutError, or ConnectionError for an error packet.
        """
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
    def error(own, code, words):
        own.send(struct.pack(">HH", ERROR, code) + words + b"\0")

    @staticmethod
    def _accepted(options):
        if "blksize" not in options:
            return b"", BLOCK
        return b"blksize\0" + options["blksize"].encode() + b"\0", int(options["blksize"])

    def send(self, own, path, options):
        if not path.is_file():
            self.error(own, NO_FILE, b"File not found")
            return
        content = path.read_bytes()
        taken, size = self._accepted(options)
        if taken:
            self._ask(own, struct.pack(">H", OACK) + taken, struct.pack(">HH", ACK, 0))
        for block in range(len(content) // size + 1):
            number = (block + 1) & 0xffff
            data = struct.pack(">HH", DATA, number) + content[block * size:(block + 1) * size]
            self._ask(own, data, struct.pack(">HH", ACK, number))

    def take(self, own, path, options):
        if path.exists():
            self.error(own, EXISTS, b"File already exists")
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
