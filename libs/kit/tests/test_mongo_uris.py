import pytest

from mlplace_kit.mongo_uris import fault_in


class TestFaultIn:
    @pytest.mark.parametrize(
        "uri",
        [
            "mongodb://db.example",
            "mongodb://db.example:27018/cache",
            "mongodb://u:p%40ss@a.example:27017,b.example:27018/cache?replicaSet=rs0&authSource=admin",  # pragma: allowlist secret
            "mongodb://u:***@db.example/x",
            "mongodb+srv://u:p@cluster0.abc.mongodb.net/?retryWrites=true&w=majority&appName=Cluster0",
            "mongodb://[2606:4700::1]:27017/?tls=true&AUTHMECHANISM=SCRAM-SHA-256",
        ],
    )
    def test_addresses_with_harmless_options_may_be_used(self, uri: str) -> None:
        assert fault_in(uri) is None

    @pytest.mark.parametrize(
        "option",
        [
            "tlsCAFile=/etc/passwd", "tlsCertificateKeyFile=/k", "ssl_ca_certs=/x", "tlsCRLFile=/x", "tlsInsecure=true",
            "tlsAllowInvalidCertificates=true", "tlsAllowInvalidHostnames=true", "proxyHost=10.0.0.1", "proxyPort=1",
            "authMechanism=MONGODB-AWS", "authMechanism=GSSAPI", "authMechanism=MONGODB-OIDC",
            "authMechanismProperties=ENVIRONMENT:gcp", "compressors=zlib", "srvServiceName=x", "srvMaxHosts=1",
            "serverSelectionTimeoutMS=100000000", "maxPoolSize=100000", "minPoolSize=1000", "w=x", "ssl=perhaps",
            "unixSocket=/x", "loadBalanced=true", "%74lsCAFile=/x", "tls=true;tlsCAFile=/x", "tls=true%26tlsCAFile=/x",
            "serverMonitoringMode=poll", "datetime_conversion=x", "readPreference=secondary",
        ],
    )  # fmt: skip
    def test_other_options_are_refused_by_name(self, option: str) -> None:
        assert "not supported" in (fault_in(f"mongodb://db.example/?{option}") or "")

    @pytest.mark.parametrize(
        "uri",
        [
            "", "http://x", "mongodb://", "mongodb:///x", "mongodb://%2Ftmp%2Fmongodb-27017.sock", "mongodb://x.sock/",
            "mongodb://a b/", "mongodb://db:0/", "mongodb://db:70000/", "mongodb://db:x/", "mongodb://a@b@c/",
            "mongodb://db/a/b", "mongodb://db/$x", "mongodb://db/a\n", "mongodb+srv://a,b/", "mongodb://" + "a," * 20 + "a",
            "mongodb://１２７.0.0.1/", "mongodb+unix://x", "MONGODB://db", "mongodb://h#f/", "mongodb://db\\x/",
        ],
    )  # fmt: skip
    def test_text_that_is_no_address_is_refused(self, uri: str) -> None:
        assert fault_in(uri)
