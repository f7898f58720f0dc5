# SPDX-License-Identifier: BSD-2-Clause
"""Chromium without a window, which shows a report: for tests of it and for pictures of it."""
import contextlib
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars")
PHONE_PX_MAX = 600


@contextlib.contextmanager
def started():
    """The driver of a browser with a profile of its own, which keeps what pages complain of."""
    with tempfile.TemporaryDirectory(prefix="barecount-chromium-",
                                     ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        try:
            yield driver
        finally:
            driver.quit()


def resize(driver, width, height, scale=1):
    """The window, in CSS pixels; `scale` is how many pixels of a screen each of them has."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": scale,
        "mobile": width < PHONE_PX_MAX})
