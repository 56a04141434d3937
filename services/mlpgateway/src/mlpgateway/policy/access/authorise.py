"""The second stage: finds the model and checks that the caller may call it."""

from mlpgateway.call.identity import Identity, Payer
from mlpgateway.errors.calls import PrototypeNotCallable, TestingNotAllowed
from mlpgateway.readmodels.all import ReadModels
from mlplace_contracts.enums import Feature, KeyPermission
from mlplace_contracts.events import ModelChanged
from mlplace_gateproto import headers as names
from mlplace_kit.denials import FeatureMissing, LimitedToServices, PermissionMissing
from mlplace_kit.errors import AccountNotFound, ModelNotFound
from mlplace_kit.names import parse_ref


class Authorise:
    def __init__(self, read_models: ReadModels, *, test_form_required: bool) -> None:
        """`test_form_required`: people need the feature mlp.test_form to test models of other accounts."""
        self._read_models = read_models
        self._test_form_required = test_form_required

    def call(self, account: str, model: str, identity: Identity, payer: Payer) -> ModelChanged:
        """Returns the model that the path names, after checking that the caller and the payer may call it.

        It depends on read models alone. Raises like `model` and `payer`.
        """
        found = self.model(account, model, identity)
        self.payer(found, payer)
        return found

    def model(self, account: str, model: str, identity: Identity) -> ModelChanged:
        """Returns the model that the path names.

        A private model of another account gets the same answer as a missing one. Raises AccessDenied, AccountNotFound,
        ModelNotFound, TestingNotAllowed, PrototypeNotCallable.
        """
        if not identity.may_predict:
            raise PermissionMissing(permission=KeyPermission.PREDICT.value)
        found = self._read_models.models.find(self._account_id(account), parse_ref(model))
        if found is None:
            raise ModelNotFound
        if found.account_id != identity.account_id:
            self._check_foreign(found, identity)
        if identity.allowed_models is not None and found.model_id not in identity.allowed_models:
            raise LimitedToServices
        if found.prototype:
            raise PrototypeNotCallable
        return found

    @staticmethod
    def payer(model: ModelChanged, payer: Payer) -> None:
        """Raises AccessDenied when the key that pays instead of the caller's may not call this model."""
        if payer.allowed_models is not None and model.model_id not in payer.allowed_models:
            raise LimitedToServices(header=names.BILLING_KEY)

    def _account_id(self, text: str) -> int:
        ref = parse_ref(text)
        account = self._read_models.accounts.resolve(ref)
        if account is not None:
            return account.account_id
        known = ref.id if ref.id is not None else self._read_models.models.account_id_of(ref.name or "")
        if known is None:
            raise AccountNotFound
        return known

    def _check_foreign(self, model: ModelChanged, identity: Identity) -> None:
        publicity = model.publicity
        if not publicity.is_public and identity.account_id not in publicity.allowed_accounts:
            raise ModelNotFound
        if not identity.is_person:
            return
        features = self._read_models.limits.features(identity.account_id)
        if self._test_form_required and Feature.TEST_FORM.value not in features:
            raise FeatureMissing(feature=Feature.TEST_FORM.value)
        if not publicity.public_testing_allowed:
            raise TestingNotAllowed
