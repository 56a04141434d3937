import json
import subprocess

import bill_of_materials as bom
import pytest
import release
import versions


class TestVersions:
    def test_all_files_have_the_version_of_pyproject(self):
        assert {(str(path), version) for path, version in versions.found() if version != versions.current()} == set()

    def test_a_change_reaches_every_place(self, tmp_path, monkeypatch):
        for path in {path for path, _ in versions.found()}:
            copy = tmp_path / path.relative_to(versions.ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(path.read_text())
        monkeypatch.setattr(versions, "ROOT", tmp_path)
        versions.change("7.8.9")
        assert {version for _, version in versions.found()} == {"7.8.9"}

    def test_the_changelog_has_a_section_of_it(self):
        text = (versions.ROOT / "CHANGELOG.md").read_text()
        assert f"\n## {versions.current()}" in text


class TestBills:
    def test_packages_of_python_come_with_all_their_hashes(self):
        text = f"Thing[extra]==1.0 ; python_version < '3.12' \\\n    --hash=sha256:{'0' * 64} \\\n    --hash=sha256:{'1' * 64}\n"
        (package,) = bom.python_packages(text)
        assert package["purl"] == "pkg:pypi/thing@1.0"
        assert [each["value"] for each in package["properties"]] == ["0" * 64, "1" * 64]

    def test_packages_of_the_web_interface_leave_out_build_tools(self):
        lock = {
            "packages": {
                "": {"version": "1"},
                "node_modules/@a/b": {"version": "2.0"},
                "node_modules/vite": {"version": "3", "dev": True},
            }
        }
        assert [package["purl"] for package in bom.node_packages(lock)] == ["pkg:npm/%40a/b@2.0"]

    @pytest.mark.parametrize("name", [*release.IMAGES, "wheel", "edge"])
    def test_every_image_and_the_wheel_have_one(self, name, tmp_path):
        release.write_bills(tmp_path, "1.2.3", lambda image: f"libc6 2.36-9+deb12u13 {image.rpartition(':')[2]}\n")
        bill = json.loads((tmp_path / f"{name}.cdx.json").read_text())
        system = [each["purl"] for each in bill["components"] if each["purl"].startswith("pkg:deb/")]
        assert system == ([] if name == "wheel" else ["pkg:deb/debian/libc6@2.36-9%2Bdeb12u13?arch=1.2.3"])
        assert bill["bomFormat"] == "CycloneDX"
        assert len(bill["components"]) > 5


class TestChecksums:
    def test_sha256sum_accepts_them(self, tmp_path):
        (tmp_path / "a.whl").write_bytes(b"wheel")
        release.write_checksums(tmp_path)
        release.write_checksums(tmp_path)
        checked = subprocess.run(
            ["sha256sum", "--check", "SHA256SUMS"], cwd=tmp_path, capture_output=True, check=True, text=True
        )
        assert checked.stdout == "a.whl: OK\n"
