"""The reasons of rejects and the rules of repairs: etl/rejects.py has them, README and generator name the same ones."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import get_args

from support import ROOT

from etl.rejects import Reason, Rule

NOT_GENERATED = {"bad_text", "row_too_long"}
"""A CR inside a text and a row above 1 MiB are tested by hand-made files only."""


def test_the_readme_lists_every_rule_of_a_repair() -> None:
    text = (ROOT / "etl/README.md").read_text()
    table = text[text.index("| rule of a repair |") :].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(get_args(Rule))


def test_a_dirty_catalog_has_every_reason_and_rule(tmp_path: Path) -> None:
    generator = [
        os.environ["TEST_NODE"],
        ROOT / "scripts/generate",
        tmp_path,
        "--products",
        "400",
        "--dirty",
        "--fields",
    ]
    subprocess.run(generator, check=True, capture_output=True)
    files = json.loads((tmp_path / "manifest.json").read_text())["files"].values()
    named = {name for file in files for name in (*file["rejected"], *file["repairs"])}
    assert named == {*get_args(Reason), *get_args(Rule)} - NOT_GENERATED
