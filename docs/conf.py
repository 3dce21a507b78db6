"""Sphinx: the pages, the reference of the API and the gallery as one site that asks nothing of the network."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

import partita  # noqa: E402  (after the path)

project = "partita"
author = "The partita developers"
project_copyright = "The partita developers"
version = release = partita.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "equation_links",
    "command_reference",
    "repository_links",
    "api_pages",
    "docstring_words",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_extensions", "_templates", "gallery"]
nitpicky = True
highlight_language = "python"

# ----------------------------------------------------------------------------------------------------------- pages
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

# ------------------------------------------------------------------------------------------------------------- API
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say types in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# --------------------------------------------------------------------------------------------------------- gallery
sphinx_gallery_conf = {
    "write_computation_times": False,  # its page loads scripts from another host
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"plot_",
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 1,
    "plot_gallery": "True",
    "show_signature": False,
}

# ------------------------------------------------------------------------------------------------------------ HTML
html_theme = "pydata_sphinx_theme"
html_title = "partita"
html_static_path = ["_static"]
html_css_files = ["partita.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
# pages without pages below them: the space is for their tables
html_sidebars = {page: [] for page in ("index", "start", "methods", "command-line")}
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "navigation_depth": 3,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
