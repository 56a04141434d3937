"""URL hosts that reach internal addresses, in the spellings that attackers use."""

from typing import Final

THIS_HOST: Final = (
    "127.0.0.1", "127.1", "127.0.1", "127.127.127.127", "0", "0.0.0.0", "2130706433", "017700000001", "0x7f000001",
    "0177.0.0.1", "0x7f.0.0.1", "0x7f.1", "127.0.0.1.", "0000000177.0.0.0001", "localhost", "localhost.", "LOCALHOST",
    "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]",
    "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[::ffff:0:127.0.0.1]", "[::1%25lo]", "[::1%lo]",
    "127。0。0。1", "①②⑦.⓪.⓪.①", "１２７.0.0.1", "ⓛocalhost", "127.0.0.1%00.example.org", "127%2E0%2E0%2E1",
    "%31%32%37.0.0.1", "localhost%2F.example.org",
)  # fmt: skip
"""Spellings of the same host that libraries write and read in URLs."""
OF_CLOUDS: Final = (
    "169.254.169.254", "169.254.170.2", "[fd00:ec2::254]", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376",
    "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "100.100.100.200", "192.0.0.192",
)  # fmt: skip
"""Addresses at which cloud providers serve the credentials of their machines."""
