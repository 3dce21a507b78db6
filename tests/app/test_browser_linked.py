"""Tree, heatmap, membership and table show the same objects: what is selected in one is selected in all."""

import re

import pytest

from tests.app.browsing import NARROW, WIDE

expect = pytest.importorskip("playwright.sync_api").expect


BOTH = pytest.mark.parametrize("page", [WIDE, NARROW], ids=["wide", "narrow"], indirect=True)  # not only at night


@pytest.fixture(params=[WIDE, pytest.param(NARROW, marks=pytest.mark.nightly)], ids=["wide", "narrow"])
def page(request, desk, result):
    """A result of three clusters of twenty plants, nothing selected."""
    page = desk(result, viewport=request.param)
    expect(page.selected).to_contain_text("Nothing selected")
    expect(page.tab.locator(".rows tbody tr")).to_have_count(50)
    return page


def one_cluster(page):
    """Wait until exactly one cluster is selected in all views; gives its number."""
    expect(page.selected).to_have_text(re.compile(r"^20 objects selected: 20 of cluster [012]$"))
    cluster = page.selected.inner_text()[-1]
    chips = page.tab.locator(".chip[aria-pressed=true]")
    expect(chips).to_have_text([f"Cluster {cluster}20"])
    expect(page.tab.locator("[data-filter=selected]")).to_have_text("Selected 20")
    expect(page.tab.locator(".rows tbody tr[aria-selected=true]")).to_have_count(20)
    expect(page.tab.locator(".rows tbody tr td:nth-child(2)")).to_have_text([cluster] * 20)
    return int(cluster)


def all_change(page, act):
    """What is done changes all three pictures."""
    before = page.pictures()
    act()
    expect(page.selected).to_contain_text("selected:")
    for name, old in zip(("tree", "heat", "membership"), before, strict=True):
        page.tab.wait_for_function("([name, old]) => document.querySelector(`canvas.${name}`).toDataURL() !== old",
                                   arg=[name, old])  # fmt: skip


def test_a_cluster_is_selected(page):
    all_change(page, page.tab.locator(".chip").nth(1).click)
    assert one_cluster(page) == 1
    page.tab.get_by_role("button", name="Clear").click()
    expect(page.selected).to_contain_text("Nothing selected")
    expect(page.tab.locator(".rows tbody tr")).to_have_count(50)


@BOTH
def test_a_rectangle_of_the_heatmap_selects_with_the_mouse(page):
    all_change(page, lambda: page.drag("heat", (0.05, 0.05), (0.3, 0.3)))
    page.tab.mouse.move(0, 0)
    expect(page.tab.locator(".chip[aria-pressed=mixed]")).to_have_count(1)
    rows = page.tab.locator(".rows tbody tr")
    expect(rows).not_to_have_count(50)
    assert 10 < rows.count() < 20
    with page.tab.expect_response("**/selections"):
        page.tab.keyboard.down("Shift")
        page.drag("heat", (0.9, 0.9), (0.95, 0.95))
        page.tab.keyboard.up("Shift")
    expect(page.tab.locator(".chip[aria-pressed=mixed]")).to_have_count(2)


def test_a_rectangle_of_the_heatmap_selects_by_keys(page):
    page.tab.locator("canvas.heat").focus()
    page.press("Home", *["Shift+ArrowDown"] * 19, *["Shift+ArrowRight"] * 19)
    all_change(page, lambda: page.press("Enter"))
    one_cluster(page)
    page.press("Escape", "Escape")  # the first one forgets the rectangle
    expect(page.selected).to_contain_text("Nothing selected")


@BOTH
def test_a_branch_of_the_tree_selects_with_the_mouse(page):
    left, top = page.corner("tree", 0, 0)
    right, bottom = page.corner("tree", 1, 1)
    places = [(left + x * (right - left) / 20, top + y * (bottom - top) / 30) for y in range(1, 30) for x in range(20)]
    for place in places:  # until a branch is near
        page.tab.mouse.move(*place)
        if "of cluster" in page.tab.locator(".tip").text_content():
            break
    all_change(page, lambda: page.tab.mouse.click(*place))
    expect(page.tab.locator(".chip:not([aria-pressed=false])")).to_have_count(1)


def test_a_branch_of_the_tree_selects_by_keys(page):
    page.tab.locator("canvas.tree").focus()
    page.press("ArrowRight", "ArrowDown", "ArrowUp")
    told = page.tab.locator("#live")
    expect(told).to_contain_text("objects of")
    all_change(page, lambda: page.press("Enter"))
    expect(page.tab.locator(".chip[aria-pressed=true]")).not_to_have_count(0)


def test_a_range_of_the_membership_selects_with_the_mouse(page):
    all_change(page, lambda: page.drag("membership", (0.5, 0.05), (0.5, 0.25)))
    expect(page.tab.locator(".chip[aria-pressed=mixed]")).to_have_count(1)


@BOTH
def test_a_range_of_the_membership_selects_by_keys(page):
    page.tab.locator("canvas.membership").focus()
    page.press("Home", *["Shift+ArrowDown"] * 19)
    all_change(page, lambda: page.press("Enter"))
    one_cluster(page)


@BOTH
def test_a_row_of_the_table_selects_and_shows_its_details(page):
    name = page.names()[3]
    all_change(page, page.tab.locator(".rows tbody tr").nth(3).click)
    expect(page.selected).to_contain_text("1 object selected")
    details = page.tab.get_by_role("region", name="Details of one object")
    expect(details.locator("h3")).to_have_text(name)
    expect(details).to_contain_text("Labels in all 5 clusterings")
    page.tab.locator(".rows tbody tr").nth(6).click(modifiers=["Shift"])
    expect(page.selected).to_contain_text("4 objects selected")
    page.tab.locator(".rows tbody tr").nth(4).click(modifiers=["Control"])
    expect(page.selected).to_contain_text("3 objects selected")
    page.tab.get_by_role("button", name="Close the details").click()
    expect(details).to_be_hidden()


def test_rows_of_the_table_are_selected_by_keys(page):
    page.tab.locator(".rows tbody tr").first.focus()
    page.press("ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown")
    expect(page.selected).to_contain_text("3 objects selected")
    expect(page.tab.locator(".rows tbody tr").nth(3)).to_be_focused()
    page.press("End", "Space")
    expect(page.selected).to_contain_text("4 objects selected")
    page.press("Home", "Enter")
    expect(page.tab.get_by_role("region", name="Details of one object")).to_contain_text(page.names()[0])


def test_looking_at_one_of_the_selected_objects_keeps_them(page):
    page.tab.locator(".chip").nth(2).click()
    one_cluster(page)
    page.tab.locator(".rows tbody tr").nth(5).click()
    expect(page.tab.get_by_role("region", name="Details of one object")).to_contain_text(page.names()[5])
    assert one_cluster(page) == 2


def test_the_selection_stays_when_the_number_of_clusters_changes(page):
    page.tab.locator(".chip").nth(0).click()
    one_cluster(page)
    page.tab.locator("#k").focus()
    page.press("ArrowLeft")
    expect(page.figure("Clusters")).to_contain_text("2instead of 3")
    expect(page.selected).to_contain_text("20 objects selected: 20 of cluster 0")


def test_objects_are_found_sorted_and_paged(page):
    search = page.tab.get_by_label("Search the names of the objects")
    search.fill("p01")
    expect(page.tab.locator(".rows tbody tr")).to_have_count(10)
    page.tab.get_by_role("button", name="Select all 10").click()
    expect(page.selected).to_contain_text("10 objects selected")
    page.tab.locator("[data-filter=all]").click()
    search.fill("")
    expect(page.tab.locator(".objects .foot .note")).to_have_text("1\N{EN DASH}50 of 60")
    page.tab.get_by_role("button", name="Later objects").click()
    expect(page.tab.locator(".objects .foot .note")).to_have_text("51\N{EN DASH}60 of 60")
    head = page.tab.locator(".rows thead button", has_text="Object")
    head.focus()
    page.press("Enter")
    expect(page.tab.locator(".rows tbody th").first).to_have_text("p000")
    expect(head).to_be_focused()
    page.press("Enter")
    expect(page.tab.locator(".rows tbody th").first).to_have_text("p059")


def test_the_objects_in_doubt_are_one_press_away(page):
    page.tab.locator("[data-filter=doubt]").click()
    n_in_doubt = int(page.figure("In doubt").inner_text().split()[0])
    expect(page.tab.locator(".rows tbody tr:has(th)")).to_have_count(n_in_doubt)
