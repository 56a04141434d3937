"""What a value of a request breaks: rule and arguments for programs, and an English message.

`RULES` is the whole list; `docs/errors.md` is generated from it, and the interface has a text for each rule.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

MOST_VIOLATIONS: Final = 50
"""Violations in one refusal. A hostile request may have any number of wrong fields."""
_MOST_PATH: Final = 128
_MOST_ARGUMENT: Final = 200
_ODD: Final = re.compile(r"[^\w.\-\[\]/:@ ]")


@dataclass(frozen=True, slots=True)
class Violation:
    """`rule` is a name of `RULES`; `args` are the values behind the message."""

    rule: str
    message: str
    args: Mapping[str, str] = field(default_factory=dict[str, str])


RULES: Mapping[str, str] = MappingProxyType(
    {
        # of every field
        "invalid": "is not valid",
        "required": "is required",
        "unknown_field": "is not known",
        "wrong_type": "must be {expected}",
        "one_of": "must be one of {allowed}",
        "too_long": "must have at most {max} characters",
        "too_short": "must have at least {min} characters",
        "length": "use {min} to {max} characters",
        "pattern": "must match {pattern}",
        "too_many": "use at most {max}",
        "too_few": "use at least {min}",
        "at_least": "must be at least {min}",
        "at_most": "must be at most {max}",
        "above": "must be more than {min}",
        "below": "must be less than {max}",
        "between": "must be {min} to {max}",
        "multiple_of": "must be a multiple of {step}",
        "decimal_places": "has more than {max} decimal places",
        "digits": "has more than {max} digits",
        "finite_number": "must be a finite number",
        "number_too_large": "is too large",
        "positive": "must be positive",
        "nul_character": "must not contain the NUL character",
        "one_line": "must be one line without control characters",
        "json": "must hold JSON",
        "moment": "use an ISO 8601 date or time",
        "time_zone": "times are aware, in UTC",
        "url": "must be a URL",
        "id": "must be an id",
        "not_found": "not found",
        "sort": "use one of {allowed}",
        "not_empty": "must not be empty",
        "required_with": "is required with {other}",
        # of names and addresses
        "account_name": "must have 3 to 32 characters of a-z, 0-9 and -, and not be all digits",
        "service_name": "use 1 to 64 letters, digits, dots, _ and -; not digits alone",
        "service_path": "name it as author/service or author/service/model",
        "web_origin": "use an origin such as https://example.com or http://localhost:3000, or *",
        "host_name": "must be a host name without scheme and port",
        "email": "must be an e-mail address",
        "registry_host": "use the host of a registry such as registry.example:5000, or docker.io",
        "image_address": "use an address such as registry.example/team/image:tag",
        "ip_network": "is neither an IP network nor an address",
        "ip_address": "is not an IP address",
        "own_page": "must lead to a page of this platform",
        "twice": "is in the list twice",
        # of amounts
        "amount": "must be an amount such as 0.05, with at most ten digits and nine decimals",
        "quantity": "use a quantity such as 100m, 2, 500Mi or 20Gi",
        "price_differs": "differs from {other}",
        "below_unit_price": "is below the price of one unit",
        "billing_price": "is required when billing is enabled",
        "above_income": "more than the income balance",
        "one_limit_per_currency": "has two limits in one currency",
        # of users and accounts
        "current_password": "is not the current password",  # pragma: allowlist secret
        "unlike_login": "must differ from the login",
        "account_of_path": "not the account of the path",
        "selected_account": "is not the selected account",
        "not_changed_here": "cannot be changed here",
        "platform_only": "can be changed only by an administrator of the platform",
        # of keys
        "temporary_key": "is required for a temporary key",
        "only_temporary": "needs temporary: only a temporary key has a lifetime",
        "lifetime": "is longer than 100 years",
        "idempotency_key": "use 1 to 255 printable characters without blanks",
        "reserved_prefix": "must not begin with {prefix}",
        # of services
        "json_text": "must be JSON text",
        "json_depth": "must be nested at most {max} deep",
        "json_number": "holds a number of more than {max} digits",
        "json_object": "must be the text of a JSON object",
        "env_object": "must be the text of a JSON object with string values",
        "env_name": "{name} is not a valid name of a variable: use letters, digits and _",
        "env_platform": "{name} is set by the platform",
        "env_value": "the value of {name} must be a string",
        "env_value_size": "the value of {name} is too long or contains the NUL character",
        "mount_path": "must be an absolute path of names with letters, digits, ., _ and -, other than /, . and ..",
        "mount_of_system": "must not lie in /proc, /sys or /dev",
        "mount_inside": "must not equal another mount's path, lie in it or around it",
        "mongo_uri": "is not an address of MongoDB that may be used",
        "collection_name": "use letters, digits, _, . and -, and begin with a letter or _",
        "bounds": "{max} must not be less than {min}",
        "thresholds": "a threshold for scaling down must not be above the one for scaling up",
        "http_port": "httpPort is required when HTTP is enabled",
        "time_zone_name": "use the name of a time zone such as Europe/Berlin",
        "account_time_zone": "schedules have the time zone of the account, {zone}",
        "rsa_pem": "must be a public RSA key in PEM form",
        "image_of_path": "is not the id of this image",
        "data_image_of_path": "is not the id of this data image",
        "file_name": "use 1 to 128 visible characters without /, \\ and ..",
        "dataset_of_path": "is not the id of this dataset",
        "content_type_kept": "the content is {type}; upload another one, or download it in another type",
        "object_key": "use up to 1024 bytes without control characters, invisible characters and \\",
        "folder_prefix": "must end with /",
        "row_width": "needs {count} values",
        "image_not_shared": "the image of this service may not be used by other accounts",
        "data_image_not_shared": "other accounts may not mount this data image",
        "set_in_env": "is also set in env",
        "secret_unknown": "no value is stored for this mask; send the value",  # pragma: allowlist secret
        "password_needed": "differs from the stored address; send the password",  # pragma: allowlist secret
        "http_off": "HTTP is off in the settings of the service",
        "reserve_group": "no other group of this name",
        "other_group": "no other group",
        "either": "send this or {other}, and not both",
        "regular_expression": "is no regular expression, or takes too long",
        "hosting_only": "only HOSTING_SERVER is available on this installation",
        "date_order": "must not be after {other}",
        "at_most_days": "has at most {max} days",
        # of a server's configuration
        "yaml": "is not YAML",
        "yaml_value": "contains an invalid value",
        "yaml_alias": "must not contain aliases (*name)",
        "yaml_size": "is too deep or too large",
        "too_many_bytes": "is longer than {max} bytes",
        # of calls
        "too_many_fields": "use at most {max} fields",
        "one_text": "must be one text; send a request for each",
        "leave_out": "cannot be chosen for this model; leave it out",
        "not_streamed": "cannot be true: this address does not stream",
    }
)


def broken(rule: str, /, *, message: str | None = None, **args: str) -> Violation:
    """Returns a violation with the rule's message, or with one that says more."""
    template = RULES[rule]
    values = {name: value[:_MOST_ARGUMENT] for name, value in args.items()}
    return Violation(rule, message or template.format_map(values), values)


def two_values() -> Violation:
    """Returns the violation of what a caller sent with different values though it may have one."""
    return broken("too_many", message="was sent with two different values; send one", max="1")


def shown_path(path: str) -> str:
    """Returns a path that is safe to send back: of bounded length, and of letters, digits and a few signs."""
    return _ODD.sub("?", path[:_MOST_PATH])
