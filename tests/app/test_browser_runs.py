"""Runs in a real browser: cancelled, found again, in two tabs, failed; and a server that has gone."""

import re

import pytest

from tests.app.browsing import file
from tests.app.clients import plants

expect = pytest.importorskip("playwright.sync_api").expect


def start_slowly(page, name):
    """A run that takes far longer than a test may."""
    page.choose(file(name, plants(4000)))
    page.run(Method="nbce")
    expect(page.tab.get_by_role("heading", name="Finding the consensus")).to_be_visible()


def end(page):
    page.tab.get_by_role("button", name="Cancel").click()
    expect(page.tab.get_by_role("heading", name="Cancelled")).to_be_visible()


def test_a_run_shows_how_far_it_is_and_is_cancelled(desk):
    page = desk()
    start_slowly(page, "slow.csv")
    expect(page.tab.get_by_role("progressbar")).to_be_visible()
    expect(page.tab.locator(".stage")).not_to_have_text("")
    expect(page.tab.locator(".time")).to_have_text(re.compile(r"^(?!0\.0)\d+\.\d s\. You may close this tab"))
    end(page)
    expect(page.tab.locator(".stage")).to_contain_text("nothing of it was kept")
    page.tab.get_by_role("link", name="Back to the file").click()
    expect(page.tab.locator("h1")).to_have_text("slow.csv")


def test_a_run_is_cancelled_by_keys(desk):
    page = desk()
    start_slowly(page, "keys.csv")
    page.press("Tab")
    expect(page.tab.get_by_role("button", name="Cancel")).to_be_focused()
    page.press("Enter")
    expect(page.tab.get_by_role("heading", name="Cancelled")).to_be_focused()


def test_a_run_goes_on_without_its_tab_and_is_found_again(desk):
    page = desk()
    start_slowly(page, "alone.csv")
    other = desk(beside=page)
    page.tab.close()
    line = other.tab.locator(".run-line", has_text="alone.csv").first
    expect(line).to_contain_text("running")
    line.get_by_role("link").click()
    expect(other.tab.get_by_role("heading", name="Finding the consensus")).to_be_visible()
    end(other)


def test_a_run_that_ends_while_nobody_looks_has_its_result(desk):
    page = desk()
    page.choose(file("short.csv"))
    page.run()
    page.tab.wait_for_url(re.compile("#run="))
    other = desk(beside=page)
    page.tab.close()
    line = other.tab.locator(".run-line", has_text="short.csv").first
    expect(line).to_contain_text("done", timeout=20_000)
    line.get_by_role("link").click()
    other.wait_for_result()


def test_two_tabs_do_not_disturb_each_other(desk, result):
    one = desk(result)
    two = desk(f"{result}&k=2", beside=one)
    expect(one.figure("Clusters")).to_contain_text("3as you asked")
    expect(two.figure("Clusters")).to_contain_text("2instead of 3")
    one.tab.locator(".chip").nth(1).click()
    two.drag("membership", (0.5, 0.02), (0.5, 0.1))
    expect(one.selected).to_have_text("20 objects selected: 20 of cluster 1")
    expect(two.selected).to_have_text(re.compile(r"^\d objects selected: \d of cluster \d$"))
    one.tab.locator(".rows tbody tr").nth(2).click(modifiers=["Control"])
    expect(one.selected).to_have_text("19 objects selected: 19 of cluster 1")
    expect(two.tab.locator(".rows tbody tr")).not_to_have_count(19)
    expect(two.figure("Clusters")).to_contain_text("2instead of 3")


def test_options_that_cannot_be_are_said_beside_them(desk):
    page = desk()
    page.choose(file("wrong.csv"))
    page.run(**{"Number of clusters": "61"})
    expect(page.tab.get_by_role("alert")).to_contain_text("Number of clusters: ")
    expect(page.tab.get_by_label("Number of clusters", exact=True)).to_be_focused()
    assert "#data=" in page.tab.evaluate("location.hash")


def test_a_time_limit_stops_a_run(desk):
    page = desk()
    page.choose(file("limit.csv", plants(4000)))
    page.run(**{"Method": "nbce", "Time limit in seconds": "1"})
    expect(page.tab.get_by_role("heading", name="Stopped at the time limit")).to_be_visible(timeout=20_000)
    expect(page.tab.locator(".stage")).to_contain_text("Give it more time")


def test_runs_and_files_are_removed(desk):
    page = desk()
    page.choose(file("gone.csv"))
    page.run()
    page.wait_for_result()
    place = page.tab.evaluate("location.hash")
    page.tab.get_by_role("link", name="Start", exact=True).click()
    for label in ("Remove the run of gone.csv", "Remove the file gone.csv"):
        page.tab.get_by_role("button", name=label).click()
        expect(page.tab.get_by_role("button", name=label)).to_have_count(0)
    page.go(place)
    expect(page.tab.get_by_role("alert")).to_contain_text("is not here (any more)")


def test_a_server_that_has_gone_is_named(desk, result):
    page = desk(result)
    page.tab.context.set_offline(True)
    page.tab.locator(".chip").first.click()
    expect(page.tab.get_by_role("alert").first).to_contain_text("Is partita app still running in the terminal?")
    page.tab.context.set_offline(False)
    page.tab.locator(".chip").first.click()
    expect(page.selected).to_contain_text("20 objects selected")
    expect(page.tab.locator("main .failed:visible")).to_have_count(0)


def test_settings_of_a_method_reach_it_and_what_cannot_be_read_is_said(desk):
    page = desk()
    page.choose()
    page.run(**{"Method": "pcc", "Settings of the method": "divergence"})
    expect(page.tab.get_by_role("alert")).to_contain_text("write name=value")
    page.tab.get_by_label("Settings of the method").fill("divergence=l2, n_init=2")
    page.run()
    page.wait_for_result()
    page.open("Downloads")
    expect(page.tab.locator("pre").first).to_contain_text("PCC(divergence='l2', n_init=2)")
