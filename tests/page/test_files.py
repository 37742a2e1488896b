"""The files of the page: no one else's address, no style or script in the markup, one text in two languages."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

STATIC = Path(__file__).parents[2] / "app" / "page" / "static"
OURS = [path for path in sorted(STATIC.rglob("*")) if path.is_file() and "vendor" not in path.parts]
VENDORED = [path for path in sorted((STATIC / "vendor").rglob("*")) if path.is_file() and path.name != "versions.json"]


def texts(language: str) -> dict[str, str]:
    loaded: dict[str, str] = json.loads((STATIC / "texts" / f"{language}.json").read_text(encoding="utf-8"))
    return loaded


def test_both_languages_say_the_same_things_with_the_same_values() -> None:
    english, chinese = texts("en"), texts("zh")
    assert english.keys() == chinese.keys()
    for key, text in english.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", chinese[key])), key


def test_every_text_is_said_somewhere_and_every_key_that_is_said_is_there() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in OURS if path.suffix == ".js")
    said = set(re.findall(r"""\bt\(\s*["']([^"']+)["']""", code))
    made = {found.partition("${")[0] for found in re.findall(r"\bt\(\s*`([^`]+)`", code)}
    chosen = {key for pair in re.findall(r'\? "([a-z_.]+)" : "([a-z_.]+)"', code) for key in pair} & texts("en").keys()
    assert said <= texts("en").keys()
    silent = [key for key in texts("en") if key not in said | chosen and not key.startswith(tuple(made))]
    assert silent == []


def test_nothing_of_the_page_is_fetched_from_elsewhere() -> None:
    for path in OURS:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert re.findall(r"https?://[a-z0-9]", text) == [], path
        assert not re.search(r"\beval\b|new Function|innerHTML|document\.write", text), path


def test_the_markup_holds_neither_scripts_nor_styles() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", page) == []
    views = "".join(path.read_text(encoding="utf-8") for path in OURS if path.suffix == ".js")
    # A style attribute is refused by the policy; the property is not.
    assert re.findall(r"\sstyle=", views) == []


def test_every_file_of_others_is_the_one_that_its_release_holds() -> None:
    """The hashes are those of the files in the npm packages of these versions."""
    versions = json.loads((STATIC / "vendor" / "versions.json").read_text(encoding="utf-8"))
    known = {
        f"{name}/{file}": digest for name, package in versions.items() for file, digest in package["files"].items()
    }
    there = {
        path.relative_to(STATIC / "vendor").as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDORED
    }
    assert there == known
    for name, package in versions.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", package["version"])
        assert any(file.startswith("LICENSE") for file in package["files"]), name
