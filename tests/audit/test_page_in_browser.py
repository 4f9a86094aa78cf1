"""The page in a real browser: all of it is there to be seen, and it runs nothing and asks the network for nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from dumps import published_run_a, save_slime, slime_samples, uneven_batch

pytestmark = pytest.mark.browser

# Nothing is fetched or reported at start, and no sandbox is set up, which root may not have.
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
MARKUP = "a\"b'><script>document.title='run'<\N{DIVISION SLASH}script><img src=x onerror=alert(1)>{{7*7}}"
LINK = "javascript:document.title='run'"
HIDDEN = "safe\N{RIGHT-TO-LEFT OVERRIDE}gnp\x1b[31m\x07"
LONG = "long" * 50
HOSTILE = (MARKUP, LINK, HIDDEN, LONG)
SHOWN = (MARKUP, LINK, "safe\\u202egnp\\x1b[31m\\x07", LONG)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of five runs, four of hostile names, with a dump that is skipped and one that is damaged."""
    folder = tmp_path_factory.mktemp("page")
    for step, (groups, rewards) in enumerate(published_run_a()):
        save_slime(folder / f"agents/rollout_{step}.pt", step, slime_samples(groups, rewards))
    for step in range(150):
        save_slime(folder / MARKUP / f"rollout_{step}.pt", step, slime_samples(*uneven_batch(40 + step, 10)))
    for name in HOSTILE[1:]:
        save_slime(folder / name / "rollout_0.pt", 0, slime_samples(*uneven_batch(40, 10)))
    save_slime(folder / "agents/eval_0<b>.pt", 0, slime_samples([None], [1]))
    (folder / "agents/<i>torn.pt").write_bytes(b"PK\x03\x04")
    status, _, _ = run("audit", "agents", *HOSTILE, "--report", "page.html", cwd=folder)
    assert status == 2
    return folder / "page.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from selenium import webdriver

    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    assert program is not None, "the package chromium is not installed"
    assert driver is not None, "the package chromium-driver is not installed"
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("no_proxy", "*")
        opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        yield opened
        opened.quit()


def show(browser: Any, page: Path, scheme: str = "light", width: int = 1280) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(page.as_uri())


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_is_there_to_be_seen(browser: Any, page: Path, scheme: str, width: int) -> None:
    show(browser, page, scheme, width)
    text = browser.find_element("tag name", "body").text
    for part in ("Affected:", "348 (80.0 %)", "62 (14.3 %)", "25 -> 373", "6 of 6", "Not audited: 1", "Damaged: 1"):
        assert part in text
    charts = browser.find_elements("css selector", "figure svg")
    assert len(charts) == 3 * (1 + len(HOSTILE))
    for chart in charts:
        assert chart.is_displayed()
        assert chart.size["width"] > 200
        assert chart.size["height"] > 60
        assert chart.find_elements("css selector", "path, use")
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert browser.execute_script("return document.querySelectorAll('.table td').length") > 50
    assert browser.execute_script(BROKEN) == []


# Figures that go on in a second line.
BROKEN = """
    return [...document.querySelectorAll('.table td:not(.long)')].filter(cell => {
        const range = document.createRange(); range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map(box => box.top)).size > 1;
    }).map(cell => cell.textContent);
"""


@pytest.mark.parametrize("width", [360, 800, 1280])
def test_letters_of_drawings_can_be_read(browser: Any, page: Path, width: int) -> None:
    """From 9 to 18 pixels, and inside the drawing."""
    show(browser, page, width=width)
    letters = browser.execute_script("""
        return [...document.querySelectorAll('figure svg text')].map(node => {
            const svg = node.ownerSVGElement, box = node.getBoundingClientRect(), all = svg.getBoundingClientRect();
            const size = parseFloat(getComputedStyle(node).fontSize) * all.width / svg.viewBox.baseVal.width;
            return [node.textContent, size, box.left >= all.left - 1 && box.right <= all.right + 1];
        });
    """)
    assert len(letters) > 50
    assert [each for each in letters if not 9 <= each[1] <= 18 or not each[2]] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out_from_what_is_behind_them(browser: Any, page: Path, scheme: str) -> None:
    """By the measure of WCAG 2.1: 4.5 to 1 at least, in the text of the page and of the drawings."""
    show(browser, page, scheme)
    pairs = browser.execute_script("""
        const behind = (node) => { for (; node; node = node.parentElement) {
            const colour = getComputedStyle(node).backgroundColor;
            if (colour !== 'rgba(0, 0, 0, 0)') return colour; } };
        return [...document.querySelectorAll('p, li b, li span, th, td, h1, h2, h3, figcaption, svg text')].map(
            node => [node instanceof SVGElement ? getComputedStyle(node).fill : getComputedStyle(node).color,
                     behind(node), node.textContent]);
    """)
    assert len(pairs) > 100
    assert [pair for pair in pairs if contrast(pair[0], pair[1]) < 4.5] == []


def contrast(one: str, other: str) -> float:
    first, second = sorted((luminance(one), luminance(other)))
    return (second + 0.05) / (first + 0.05)


def luminance(colour: str) -> float:
    values = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_colours_follow_the_scheme(browser: Any, page: Path) -> None:
    seen = set()
    for scheme in ("light", "dark"):
        show(browser, page, scheme)
        text = browser.find_element("css selector", "figure svg text")
        background = browser.find_element("tag name", "body").value_of_css_property("background-color")
        seen.add((text.value_of_css_property("fill"), background))
    assert len({fill for fill, _ in seen}) == len({background for _, background in seen}) == 2


def test_no_script_no_message_and_no_request(browser: Any, page: Path) -> None:
    show(browser, page)
    browser.get_log("browser")
    browser.get_log("performance")
    show(browser, page)
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    assert [url for url in asked if not url.startswith("data:")] == [page.as_uri()]
    assert browser.title == "grpo-lint audit"
    assert (
        browser.execute_script("return document.querySelectorAll('script, img, iframe, link[rel=stylesheet]').length")
        == 0
    )


def test_hostile_names_are_text(browser: Any, page: Path) -> None:
    show(browser, page)
    names = [each.text for each in browser.find_elements("tag name", "h2")]
    assert names == ["Figures", "agents", *SHOWN]
    links = browser.find_elements("css selector", "a")
    assert [link.get_attribute("href") for link in links] == [f"{page.as_uri()}#run{at}" for at in range(5)]
    for link in links:
        link.click()
    assert browser.title == "grpo-lint audit"
    assert len(browser.find_elements("css selector", ":target")) == 1
    items = [each.get_attribute("textContent") for each in browser.find_elements("css selector", "details li")]
    assert items == ["agents/<i>torn.pt: it is cut off or damaged", "agents/eval_0<b>.pt: evaluation"]


def test_a_reader_of_screens_finds_its_way(browser: Any, page: Path) -> None:
    show(browser, page)
    assert browser.find_element("tag name", "html").get_attribute("lang") == "en"
    for head in browser.find_elements("tag name", "th"):
        assert head.get_attribute("scope") in ("row", "col")
    for chart in browser.find_elements("css selector", "figure svg"):
        assert chart.get_attribute("role") == "img"
        for attribute, tag in (("aria-labelledby", "title"), ("aria-describedby", "desc")):
            named = browser.find_element("id", chart.get_attribute(attribute))
            assert named.tag_name == tag
            assert len(named.get_attribute("textContent")) > 10
    ids = browser.execute_script("return [...document.querySelectorAll('[id]')].map(node => node.id)")
    assert len(ids) == len(set(ids))
