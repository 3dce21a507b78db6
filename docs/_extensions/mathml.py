"""Formulas as MathML, which browsers show by themselves: no script, no font and no request to another host."""

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)
# what the converter does not know, in words that it does
REPLACED = [
    (re.compile(r"\\arg\\?\s*\\(max|min)(?![a-z])"), r"\\operatorname{arg\\,\1}"),
    (re.compile(r"\\arg(?![a-z])"), r"\\operatorname{arg}"),
    (re.compile(r"\\(?:[Bb]igg?[lr]?)\s*\\(?:lbrace(?![a-z])|\{)"), r"\\left\\lbrace "),
    (re.compile(r"\\(?:[Bb]igg?[lr]?)\s*\\(?:rbrace(?![a-z])|\})"), r"\\right\\rbrace "),
    (re.compile(r"\\(begin|end)\{aligned\}"), r"\\\1{align*}"),
]
# what it makes of functions and relations, as operators with the space that belongs to them
SPACED = [
    (re.compile(r"<mi>(log|exp|ln)</mi>(?=<mo[^>]*>&#x00028;)"), r'<mo lspace="0.17em" rspace="0">\1</mo>'),
    (re.compile(r"<mi>(log|exp|ln)</mi>"), r'<mo lspace="0.17em" rspace="0.17em">\1</mo>'),
    (re.compile(r"<mi>&#x0007E;</mi>"), "<mo>&#x0223C;</mo>"),
]
UNKNOWN = re.compile(r">(?:\\[a-zA-Z{}]+|&<)")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the two visitors as the way in which HTML shows formulas."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def visit_math(translator: HTML5Translator, node: nodes.math) -> None:
    """A formula in a line of text."""
    translator.body.append(mathml(node, "inline"))
    raise nodes.SkipNode


def visit_math_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """A formula on lines of its own."""
    translator.body.append(f'<div class="formula">{mathml(node, "block")}</div>\n')
    raise nodes.SkipNode


def mathml(node: nodes.Element, display: str) -> str:
    """The formula of a node; a warning names what the converter does not understand."""
    text = node.astext()
    for pattern, words in REPLACED:
        text = pattern.sub(words, text)
    found = convert(text, display=display)
    for pattern, words in SPACED:
        found = pattern.sub(words, found)
    unknown = UNKNOWN.findall(found)
    if unknown:
        LOGGER.warning("formula with unknown commands %s: %s", unknown, text, location=node)
    return found
