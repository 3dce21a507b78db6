"""Make docs/images/report.png, the picture of a report with which the README begins.

    partita demo                          # writes partita-demo/report.html
    python -m tools.make_report_picture partita-demo/report.html

The beginning of the page and, beside it, its pictures, as Debian's chromium shows them (playwright, of the extra test).
"""

import shutil
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

TARGET = Path(__file__).parents[1] / "docs" / "images" / "report.png"
WIDTH, HEIGHT = 900, 1120
FADE = 140  # pixels at the end
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def main(report: str) -> None:
    """Take the two views, side by side."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(Path(report).resolve().as_uri())
        views = [page.screenshot()]
        page.evaluate("document.getElementById('objects').scrollIntoView({behavior: 'instant'})")
        views.append(page.screenshot())
        browser.close()
    images = [Image.open(BytesIO(view)).convert("RGB") for view in views]
    sheet = Image.new("RGB", (2 * WIDTH + 20, HEIGHT), "#d8dce0")
    for place, image in enumerate(images):
        sheet.paste(image, (place * (WIDTH + 20), 0))
    sheet = faded(sheet)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    small = sheet.resize((sheet.width * 7 // 10, sheet.height * 7 // 10), Image.Resampling.LANCZOS)
    small.quantize(256).save(TARGET, optimize=True)  # flat colours: a fifth of the size, and no visible difference


def faded(sheet: Image.Image) -> Image.Image:
    """The sheet with its end fading to white: the report goes on below."""
    ramp = Image.linear_gradient("L").resize((sheet.width, FADE))  # black above, white below
    mask = Image.new("L", sheet.size, 0)
    mask.paste(ramp, (0, sheet.height - FADE))
    return Image.composite(Image.new("RGB", sheet.size, "white"), sheet, mask)


if __name__ == "__main__":
    main(*sys.argv[1:])
