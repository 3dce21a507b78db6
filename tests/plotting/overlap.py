"""Whether the words of a figure can be read: none on top of another, none outside the figure."""

from itertools import combinations

from matplotlib.text import Text

_SLACK = 1.0  # pixels: boxes of text have a margin of about one


def drawn_texts(figure):
    """Text and box in pixels of all that is drawn, as matplotlib draws it: ticks outside the axes are not."""
    drawn, draw = [], Text.draw

    def record(self, renderer, *args, **kwargs):
        if self.get_visible() and self.get_text().strip():
            drawn.append(self)
        return draw(self, renderer, *args, **kwargs)

    Text.draw = record
    try:
        figure.canvas.draw()
    finally:
        Text.draw = draw
    return [(text.get_text(), Text.get_window_extent(text)) for text in dict.fromkeys(drawn)]


def assert_legible(figure):
    """No two texts overlap, and all are inside the figure."""
    texts = drawn_texts(figure)
    outside = [words for words, box in texts if not _is_inside(box, figure.bbox)]
    assert not outside, f"cut off: {outside}"
    overlapping = [(a, b) for (a, first), (b, second) in combinations(texts, 2) if _overlap(first, second)]
    assert not overlapping, f"overlapping: {overlapping[:10]}"
    return texts


def _is_inside(box, page):
    return (
        box.x0 >= page.x0 - _SLACK
        and box.y0 >= page.y0 - _SLACK
        and box.x1 <= page.x1 + _SLACK
        and box.y1 <= page.y1 + _SLACK
    )


def _overlap(a, b):
    width = min(a.x1, b.x1) - max(a.x0, b.x0)
    height = min(a.y1, b.y1) - max(a.y0, b.y0)
    return width > _SLACK and height > _SLACK
