# SPDX-License-Identifier: BSD-2-Clause
"""The servers of `make run MEDIA=net` serve nothing outside their folder."""
import http.client
import urllib.parse

from machine import servers
import pytest

OUTSIDE = ("../secret", "a/../../secret", "/../secret")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "secret").write_text("old")
    (tmp_path / "served/a").mkdir(parents=True)
    (tmp_path / "served/a/file").write_text("content")
    return tmp_path / "served"


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_name_that_leaves_the_folder(folder, name):
    assert servers.inside(folder, name) is None


@pytest.mark.parametrize("name", ("a/file", "/a/file", "a/../a/file", "//a/file"))
def test_a_name_in_the_folder(folder, name):
    """TFTP clients send absolute names, which are relative to the served folder."""
    assert servers.inside(folder, name) == (folder / "a/file").resolve()


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, body)
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_http(folder):
    with servers.http_server(folder) as server:
        port = urllib.parse.urlsplit(server.url).port
        assert ask(port, "GET", "/a/file") == (200, b"content")
        for name in OUTSIDE:
            path = f"/{name.lstrip('/')}"
            assert ask(port, "GET", path) == ask(port, "PUT", path, b"new") == (404, b"")
    assert (folder.parent / "secret").read_text() == "old"
