"""The licence gate: what passes, what doesn't, and that the default lets every file of ours pass."""

import json
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

from graphforge.errors import InputError
from graphforge.workspace import LicenceGate, LocalSearch

ROOT = Path(__file__).resolve().parents[2]


def default(*overrides: str) -> LicenceGate:
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        cfg = compose("config", overrides=list(overrides))
    gate: LicenceGate = instantiate(OmegaConf.to_container(cfg.licence), _convert_="all")
    return gate


def gate(*allow: str, **changes: Any) -> LicenceGate:
    return LicenceGate(**{"allow": allow, "without_manifest": "pass", "sites": (), **changes})


@pytest.mark.parametrize("library", ["examples/library", "../shared/corpus"])
def test_by_default_every_file_of_ours_passes(library: str) -> None:
    manifest = ROOT / library / "manifest.jsonl"
    if not manifest.is_file():
        pytest.skip(f"needs {library}: not in this clone")
    ours = default()
    for line in manifest.read_text(encoding="utf-8").splitlines():
        licence = json.loads(line)["licence"]
        assert ours.refusal(licence) is None, licence


@pytest.mark.parametrize(
    "licence",
    [
        "CC0-1.0", "CC0 1.0 Universal", "CC BY 4.0", "cc-by-4.0", "CC BY-SA 3.0", "Creative Commons Attribution 4.0",
        "https://creativecommons.org/licenses/by/4.0/", "https://creativecommons.org/publicdomain/zero/1.0/",
        "Creative Commons Attribution-ShareAlike 4.0 International", "MIT License", "Apache License 2.0",
        "BSD-3-Clause", "Public Domain Mark 1.0", "U.S. Government Works", "United States government work",
        "Open Government Licence v3.0", "MIT (repo); figures of the US federal work, public domain",
    ],
)  # fmt: skip
def test_open_licences_pass(licence: str) -> None:
    assert default().refusal(licence) is None


@pytest.mark.parametrize(
    "licence",
    [
        "", "unknown", "CC BY-NC 4.0", "CC BY-ND 4.0", "CC BY-NC-SA 4.0", "cc-by-nc-nd-4.0",
        "Creative Commons Attribution-NonCommercial 4.0", "https://creativecommons.org/licenses/by-nc-sa/4.0/",
        "https://creativecommons.org/licenses/by-nd/4.0/", "All rights reserved", "© 2024 Acme",
        "CC BY 4.0 (all rights reserved)", "not public domain", "no public domain dedication", "proprietary",
        "MIT; all rights reserved", "CC BY 4.0, not for training of models", "for evaluation only", "SMITH & Sons",
        "figures: Acme Corp; layout: CC0-1.0", "everything except the MIT parts", "creative commons",
        "Limited MITigation", "see (MIT)",
    ],
)  # fmt: skip
def test_what_is_closed_or_unclear_does_not(licence: str) -> None:
    assert default().refusal(licence) is not None


def test_the_refused_piece_is_named() -> None:
    assert gate("MIT").refusal("layout: MIT; figures: Acme Corp (a; b)") == "figures: Acme Corp (a; b)"


def test_a_pattern_that_says_the_restriction_allows_it() -> None:
    assert gate("CC-BY-NC").refusal("CC BY-NC 4.0") is None
    assert gate("CC-BY*").refusal("CC BY-SA 4.0") is None
    assert gate("CC-BY*").refusal("CC BY-NC 4.0") is not None
    assert gate("MIT", "Any").refusal("All rights reserved") is None
    assert gate("unknown").refusal("unknown") is None


def test_the_longest_site_decides() -> None:
    terms = [{"licence": "OGL", "hosts": ["gov.uk"]}, {"licence": "closed", "hosts": ["police.gov.uk"]}]
    own = gate("OGL", sites=terms)
    assert own.of_site("www.gov.uk") == "OGL" and own.of_site("data.police.gov.uk") == "closed"
    assert own.of_site("gov.uk.example.org") is None and own.of_site("notgov.uk") is None


def shelf(root: Path, *licences: str | None) -> LocalSearch:
    root.mkdir()
    lines = []
    for number, licence in enumerate(licences):
        (root / f"{number}.csv").write_text(f"Name,Value\nfirst,{number // 2}\n")
        lines.append({"path": f"{number}.csv", **({} if licence is None else {"licence": licence})})
    (root / "manifest.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return LocalSearch(root=root, file_bytes=10_000, workers=1)


def test_a_manifest_is_held_to_the_gate_and_the_copy_with_a_licence_is_left(tmp_path: Path) -> None:
    search = shelf(tmp_path / "shelf", "All rights reserved", "CC0", None, "MIT")
    found = search.open(licences=gate("CC0", "MIT"))
    assert sorted(file.path for file in found.files.values()) == ["1.csv", "3.csv"]
    assert {one.id: (one.reason, one.detail) for one in found.rejections} == {
        "0.csv": ("licence_not_allowed", "its licence is 'All rights reserved'; licence.allow has no pattern for it"),
        "2.csv": ("licence_not_allowed", "its licence is 'unknown'; licence.allow has no pattern for it"),
    }  # fmt: skip
    assert found.count().inputs == 4
    # Without a gate nothing is asked of licences.
    assert len(search.open().files) == 2 and len(search.open().rejections) == 2


def test_a_folder_of_the_users_own_passes_unless_told_otherwise(tmp_path: Path) -> None:
    search = shelf(tmp_path / "shelf", None, None, None)
    (tmp_path / "shelf" / "manifest.jsonl").unlink()
    assert len(search.open(licences=gate("MIT")).files) == 2
    with pytest.raises(InputError, match=r"licence_not_allowed\).*licence\.allow"):
        search.open(licences=gate("MIT", without_manifest="drop"))
