"""How an answer that is passed on is shown to its caller."""

from mlpgateway.call.call import Answer, HttpHead, Payload
from mlpgateway.instances.http.addresses import PublicAddress
from mlpgateway.warm.forms import PassOnForm, PredictForm


class TestPredictForm:
    def test_byte_order_mark_is_not_sent_to_an_instance(self) -> None:
        asked = PredictForm("r").read(b'\xef\xbb\xbf{"a":1}')
        assert asked.text == b'{"a":1}'
        assert asked.data == Payload(json='{"a":1}')


class TestPassOnForm:
    def shown(self, *headers: tuple[bytes, bytes]) -> list[tuple[bytes, bytes]]:
        form = PassOnForm("r", "/", [], PublicAddress.of([], "/prefix", secure=False))
        found = form.shown(Answer(Payload(protobuf=b"hello"), {}, http=HttpHead(200, headers)), {})
        return [each for each in found.headers if each[0] == b"content-length"]

    def test_length_of_the_instance_is_shown_once(self) -> None:
        assert self.shown((b"Content-Length", b"5")) == [(b"content-length", b"5")]

    def test_length_is_shown_although_the_instance_names_it_as_a_header_of_its_connection(self) -> None:
        shown = self.shown((b"Connection", b"content-length"), (b"Content-Length", b"5"))
        assert shown == [(b"content-length", b"5")]
