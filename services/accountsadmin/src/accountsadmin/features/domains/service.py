from collections.abc import Sequence
from dataclasses import dataclass

from accountsadmin.features.audit.schemas import SecurityEvent
from accountsadmin.features.audit.service import AuditLog
from accountsadmin.features.domains.hosts import absolute_host, host_name, on_host, stays_on_this_host
from accountsadmin.features.domains.repository import DomainRepository
from accountsadmin.features.domains.schemas import DomainInput, DomainOption, PublicOptions
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken


@dataclass(frozen=True, slots=True)
class DomainRules:
    """Account rules that depend on the domain."""

    internal_user_ui_available: bool
    owner_only: bool


DEFAULT_RULES = DomainRules(internal_user_ui_available=False, owner_only=False)


class DomainService:
    def __init__(
        self,
        *,
        repository: DomainRepository,
        audit: AuditLog,
        host: str,
        secure: bool,
        public_url: str,
        mail_available: bool,
    ) -> None:
        self._repository = repository
        self._host = host
        self._public_url = public_url
        self._mail_available = mail_available
        self._audit = audit
        self._secure = secure

    async def options(self) -> PublicOptions:
        domains = [DomainOption.model_validate(row) for row in await self._repository.all()]
        return PublicOptions(domains=domains, mail_available=self._mail_available)

    async def replace(self, *, domains: Sequence[DomainInput], actor: int | None) -> PublicOptions:
        names = [domain.domain for domain in domains]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise ValidationFailed({f"domains.{number}.domain": broken("twice")})
        await self._repository.replace([domain.model_dump() for domain in domains])
        await self._audit.record(
            SecurityEvent.DOMAINS_CHANGED, actor=actor, details={"domains": ", ".join(names)[:2000]}
        )
        return await self.options()

    async def rules_for(self, *, host: str, product: str | None = None) -> DomainRules:
        """Returns the rules of the domain in a Host header; unknown domains have the default rules.

        For a product other than this domain's, returns the rules that apply on every domain of that product.
        """
        own = await self._repository.by_name(host_name(host))
        if own and product in {None, "", own.product}:
            return DomainRules(own.internal_user_ui_available, own.owner_only)
        others = await self._repository.of_product(product) if product else ()
        if not others:
            return DEFAULT_RULES
        return DomainRules(
            internal_user_ui_available=all(domain.internal_user_ui_available for domain in others),
            owner_only=all(domain.owner_only for domain in others),
        )

    async def platform_url(self) -> str:
        """Returns the platform's URL for this request. The Host header only counts if it names a known domain."""
        known = await self._repository.by_name(host_name(self._host))
        return f"{'https' if self._secure else 'http'}://{known.domain}" if known else self._public_url

    async def checked_redirect(self, url: str | None) -> str | None:
        """Returns the URL unchanged. Raises ValidationFailed unless the browser may be redirected there."""
        if not url:
            return None
        if await self._leads_home(url):
            return url
        raise ValidationFailed({"redirectUrl": broken("own_page")})

    async def may_redirect(self, *, url: str, host: str) -> bool:
        """Whether the URL leads to `host`, including its port, or to a known domain.

        Only for requests of signed-in users: a forged Host header must not redirect anyone during sign-in.
        """
        return on_host(url, host, secure=self._secure) or await self._leads_home(url)

    async def _leads_home(self, url: str) -> bool:
        """Whether the URL is a path on the current host, or a page of a known domain."""
        if stays_on_this_host(url):
            return True
        named = absolute_host(url, secure=self._secure)
        return named is not None and await self._repository.by_name(named) is not None
