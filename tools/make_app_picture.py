"""Make docs/images/app.png, the picture of the app in docs/app.md: the wines of the example, one cluster selected.

    python -m tools.make_app_picture

The page as Debian's chromium shows it (playwright, of the extra test), with a server of its own (the extra app).
"""

import shutil
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

TARGET = Path(__file__).parents[1] / "docs" / "images" / "app.png"
VIEW = {"width": 1280, "height": 1000}
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def main() -> None:
    """Run the example on the page, select, and take the view."""
    call = [sys.executable, "-m", "partita", "app", "--no-browser"]
    server = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        view = _view(server.stdout.readline().strip())
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)
    image = Image.open(BytesIO(view)).convert("RGB")
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    image.quantize(256).save(TARGET, optimize=True)  # flat colours: a fraction of the size, and no visible difference


def _view(address: str) -> bytes:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        page = browser.new_page(viewport=VIEW, color_scheme="light", reduced_motion="reduce")
        page.goto(address)
        page.get_by_role("button", name="Try the example").click()
        page.get_by_role("button", name="Find the consensus").click()
        page.locator(".rows tbody td.n").first.wait_for()
        page.get_by_label("Colour beside the heatmap by").select_option(index=1)
        page.locator(".chip").nth(1).click()
        page.locator(".selected.some").wait_for()
        page.locator(".rows tbody tr").first.click()
        page.locator(".details h3").wait_for()
        page.mouse.move(0, 0)
        page.wait_for_load_state("networkidle")
        view = page.screenshot()
        browser.close()
    return view


if __name__ == "__main__":
    main()
