from mlplace_kit.errors import DomainError


class TooManyExamples(DomainError):
    code = "mlp.core.example_limit_exceeded"
    status = 403
    message = "a service may have {limit} examples; delete one"


class ExamplesTooLarge(DomainError):
    code = "mlp.core.examples_too_large"
    status = 413
    message = "the examples of a service may have {limit} bytes together; shorten or delete one"
