# SPDX-License-Identifier: BSD-2-Clause
"""The servers of scripts/lib/machine/servers.py, to which tests can add faults."""
import contextlib
import socket
import time

from machine import servers

HALF_CLOSED_BYTES = 100  # a server that "closes" does so after this many bytes
ACCESS = 2  # TFTP's error 2, access violation


class _Handler(servers.HttpHandler):
    def give(self, head_only):
        if self.server.answers:
            self.answer(next(self.server.answers), head_only=head_only)
        else:
            super().give(head_only)

    def take(self, length):
        fault = self.server.fault
        if fault == "closes":
            self.rfile.read(min(length, HALF_CLOSED_BYTES))
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif fault == "silent":
            self.rfile.read(length)
            self.server.stopping.wait(60)
            self.close_connection = True
        elif fault or self.server.answers:
            self.rfile.read(length)
            self.answer(fault or next(self.server.answers))
        else:
            super().take(length)


def http_server(folder, fault=None, answers=None):
    """Serve a folder over HTTP.

    `fault` says how the server treats every PUT. A number: it answers with this status. "closes":
    it closes the connection. "silent": it sends no answer. `answers` is an iterator over the
    statuses of the answers to all other requests.
    """
    return servers.http_server(folder, _Handler, fault=fault, answers=answers)


class TftpServer(servers.TftpServer):
    """A TFTP server. `fault` says how the server treats writes.

    A number: every write fails with this error code. "silent": writes get no answer. "leaves": the
    first write fails because the file exists, and later requests get no answer. Files in
    made_meanwhile do not exist when the client looks for them, but exist when it writes them.
    """

    def __init__(self, folder, fault=None, made_meanwhile=()):
        super().__init__(folder)
        self.fault = fault
        self._made_meanwhile = made_meanwhile

    def send(self, own, path, options):
        if self.fault != "left":
            super().send(own, path, options)

    def take(self, own, path, options):
        if self.fault in ("silent", "left"):
            return
        if self.fault == "leaves":
            self.fault = "left"
            self.error(own, servers.EXISTS, b"File already exists")
        elif self.fault:
            self.error(own, self.fault, b"Access violation")
        else:
            if path.name in self._made_meanwhile:
                path.write_text("somebody else's")
            super().take(own, path, options)


@contextlib.contextmanager
def nobody():
    """The address of an HTTP server that refuses connections."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound but not listening, so no other process gets the port
        yield f"http://{servers.HOST}:{closed.getsockname()[1]}/"


def wait_until(condition, timeout_s):
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
