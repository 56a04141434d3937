"""What an instance of a service needs, as columns that the database computes from `resource_limits`.

So they always fit the settings, also those that the previous release writes, which can run beside this one: it does not
know the columns. PostgreSQL writes the table of services anew once, under an exclusive lock.

A quantity that cannot be read, or is larger than a BIGINT, counts as the largest: an instance that needs so much gets no
server until the setting is changed. `mlpcore.quantities` has the notation.
"""

from alembic import op

revision = "0038"
down_revision = "0037"

_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_FORM = "^([0-9]{1,15}(?:[.][0-9]{1,9})?|[.][0-9]{1,9})(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?[0-9]{1,2}))?$"
_MOST = 2**63 - 1
_MIB = 2**20


def _cases(values: dict[str, str]) -> str:
    return "CASE part[2] " + " ".join(f"WHEN '{suffix}' THEN {value}" for suffix, value in values.items())


# The bodies are SQL and not texts: PostgreSQL resolves their names now, whatever the search path is when it computes.
_FUNCTIONS = {
    "quantity_of(written text) RETURNS numeric": f"""
        SELECT (part[1] || 'e' || coalesce(part[3], {_cases({s: f"'{e}'" for s, e in _DECIMAL.items()})} ELSE '0' END))::numeric
            * {_cases({s: str(2**e) for s, e in _BINARY.items()})} ELSE 1 END
        FROM regexp_match(written, '{_FORM}') AS part""",  # noqa: S608  constants
    "whole_amount(amount numeric) RETURNS bigint": f"greatest(1, least(ceil(coalesce(amount, {_MOST})), {_MOST}))::bigint",
    "needed_milli_cpu(limits jsonb) RETURNS bigint": "whole_amount(quantity_of(limits ->> 'cpuRequest') * 1000)",
    "needed_ram_mb(limits jsonb) RETURNS bigint": f"(whole_amount(quantity_of(limits ->> 'memoryLimit')) - 1) / {_MIB} + 1",
    "needed_disk_mb(limits jsonb) RETURNS bigint": f"""
        (whole_amount(quantity_of(limits ->> 'ephemeralDiskLimit')) - 1) / {_MIB} + 1""",
    "needed_gpu_count(limits jsonb) RETURNS integer": """
        CASE WHEN limits ->> 'gpuRequested' = 'true'
            THEN greatest(1, coalesce(substring(limits ->> 'gpuCount' FROM '^[0-9]{1,9}$')::integer, 1)) ELSE 0 END""",
    "needed_vram_mb(limits jsonb) RETURNS bigint": """
        CASE WHEN limits ->> 'gpuRequested' = 'true'
            THEN substring(limits ->> 'gpuMemoryLimitMb' FROM '^[0-9]{1,18}$')::bigint END""",
    "needed_gpu_models(limits jsonb) RETURNS text[]": """
        ARRAY(
            SELECT name FROM jsonb_array_elements_text(
                CASE jsonb_typeof(limits -> 'gpuModels') WHEN 'array' THEN limits -> 'gpuModels' ELSE '[]' END
            ) AS name WHERE name IS NOT NULL)""",
    "needed_server_labels(limits jsonb) RETURNS jsonb": """
        CASE jsonb_typeof(limits -> 'serverLabels') WHEN 'object' THEN limits -> 'serverLabels' ELSE '{}' END""",
}
_COLUMNS = {
    "milli_cpu": "bigint",
    "ram_mb": "bigint",
    "disk_mb": "bigint",
    "gpu_count": "integer",
    "vram_mb": "bigint",
    "gpu_models": "text[]",
    "server_labels": "jsonb",
}


def upgrade() -> None:
    for head, body in _FUNCTIONS.items():
        op.execute(f"CREATE FUNCTION {head} LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN ({body})")
    added = [
        f"ADD COLUMN {name} {kind} GENERATED ALWAYS AS (needed_{name}(resource_limits)) STORED"
        + ("" if name == "vram_mb" else " NOT NULL")
        for name, kind in _COLUMNS.items()
    ]
    op.execute(f"ALTER TABLE model {', '.join(added)}")  # one statement, so that the table is written anew once


def downgrade() -> None:
    op.execute(f"ALTER TABLE model {', '.join(f'DROP COLUMN {name}' for name in _COLUMNS)}")
    for head in reversed(_FUNCTIONS):
        op.execute(f"DROP FUNCTION {head.partition('(')[0]}")
