# SPDX-License-Identifier: BSD-2-Clause
"""Show a report in headless Chromium, for tests and screenshots."""
import contextlib
import pathlib
import tempfile

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service

PROGRAMS = CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
Error = WebDriverException
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars")
PHONE_PX_MAX = 600


def missing():
    return [program for program in PROGRAMS if not pathlib.Path(program).is_file()]


def why(error):
    return " ".join((error.msg or "it gave no reason").partition("\nStacktrace:")[0].split())


@contextlib.contextmanager
def started():
    with tempfile.TemporaryDirectory(prefix="barecount-chromium-",
                                     ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        try:
            yield driver
        finally:
            driver.quit()


def resize(driver, width, height, scale=1):
    """Set the size of the window in CSS pixels, each of which is `scale` screen pixels wide."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": scale,
        "mobile": width < PHONE_PX_MAX})
