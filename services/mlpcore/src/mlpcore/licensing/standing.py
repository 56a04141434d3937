"""Compares a licence with the installation's usage at one moment: pure rules, no I/O."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from mlpcore.licensing.schemas import LicenseData, LicenseLimits, LicenseTerms


@dataclass(frozen=True, slots=True)
class Usage:
    """Usage that counts against a licence: models, and CPU (cores) and VRAM (GB) of running instances."""

    services: int = 0
    vllm_models: int = 0
    cpu: float = 0.0
    vram_gb: float = 0.0


@dataclass(frozen=True, slots=True)
class LicenseState:
    """`excess_since`: when usage first exceeded a limit. `terms` is None without a readable licence."""

    terms: LicenseTerms | None
    usage: Usage
    excess_since: datetime | None
    dashboard_url: str | None

    @property
    def exceeded(self) -> bool:
        return self.terms is not None and any(used > limit for used, limit in _pairs(self.terms, self.usage))

    def expired_or_invalid(self, now: datetime) -> bool:
        return self.terms is None or not self.terms.not_before <= now < self.terms.expires

    def hard_exceeded(self, now: datetime) -> bool:
        """Whether usage exceeds `hard_percent` of a limit, or exceeds a limit for at least `grace_days`."""
        if self.terms is None or not self.exceeded:
            return False
        percent = self.terms.hard_percent
        far = any(used * 100 > limit * percent for used, limit in _pairs(self.terms, self.usage))
        grace = timedelta(days=self.terms.grace_days)
        return far or (self.excess_since is not None and now - self.excess_since >= grace)

    def shown(self, now: datetime) -> LicenseData:
        terms = self.terms
        hard = self.hard_exceeded(now)
        return LicenseData(
            grafana_license_dashboard_url=self.dashboard_url,
            hard_limits_are_exceeded=hard,
            soft_limits_are_exceeded=self.exceeded,
            license_starts=terms.not_before if terms else None,
            license_ends=terms.expires if terms else None,
            license_expired_or_invalid=self.expired_or_invalid(now),
            license_expires_soon=terms is not None and now >= terms.expires - timedelta(days=terms.warning_days),
            days_left_before_hard_limits=self._days_left(now) if self.exceeded and not hard else None,
            limits=_limits(terms) if terms else None,
        )

    def _days_left(self, now: datetime) -> int | None:
        """Returns the days left of the grace period, rounded up."""
        if self.terms is None:
            return None
        end = (self.excess_since or now) + timedelta(days=self.terms.grace_days)
        return max(0, ceil((end - now) / timedelta(days=1)))


def _pairs(terms: LicenseTerms, usage: Usage) -> list[tuple[float, int]]:
    all_of_them = [
        (usage.services, terms.allowed_services),
        (usage.vllm_models, terms.allowed_vllm_models),
        (usage.cpu, terms.cpu_total_count),
        (usage.vram_gb, terms.vram_total_gb),
    ]
    return [(used, limit) for used, limit in all_of_them if limit is not None]


def _limits(terms: LicenseTerms) -> LicenseLimits:
    return LicenseLimits.model_validate(terms, from_attributes=True)
