from mlplace_kit.wire import Output


class VersionData(Output):
    build_number: str
    build_date: str
    build_branch: str
