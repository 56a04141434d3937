import chart_values as chart


class TestValues:
    def test_readme_has_the_table_of_the_schema_and_the_defaults(self):
        text = chart.README.read_text()
        assert chart.with_table(text) == text, "run python tools/chart_values.py"

    def test_every_default_is_in_the_schema(self):
        def unknown(values, entry, path=""):
            entry = chart.resolved(entry, whole)
            for name, value in values.items():
                own = f"{path}.{name}"
                if name not in entry["properties"]:
                    yield own
                elif "properties" in chart.resolved(entry["properties"][name], whole):
                    yield from unknown(value, entry["properties"][name], own)

        whole = chart.schema()
        assert list(unknown(chart.defaults(), whole)) == []

    def test_every_section_refuses_unknown_keys_and_every_value_is_described(self):
        def flaws(entry, path):
            entry = chart.resolved(entry, whole)
            if not entry.get("description"):
                yield f"{path}: no description"
            if "properties" in entry:
                if entry.get("additionalProperties") is not False:
                    yield f"{path}: accepts unknown keys"
                for name, below in entry["properties"].items():
                    yield from flaws(below, f"{path}.{name}")

        whole = chart.schema()
        assert list(flaws(whole, "")) == []

    def test_every_described_value_has_a_default(self):
        """Except keys of an image, which are given only where they differ."""
        values = chart.defaults()

        def known(path):
            section, _, name = path.rpartition(".")
            parent = chart.default_of(section, values) if section else values
            return (section.endswith("image") and section != "image") or name in parent

        assert [path for path, _ in chart.leaves(chart.schema(), chart.schema()) if not known(path)] == []
