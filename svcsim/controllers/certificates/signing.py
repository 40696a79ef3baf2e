"""The signer: requests that were approved get their certificates; one that isn't such as its signer signs has failed for good.

Where it is the authority that fails (its files are gone, its own certificate has ended) no request is to blame: it is tried again.

What signs is given by the composition root as a function, so that no key passes through here.
"""

import base64
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from svcsim import limits
from svcsim.auth.signing import SigningRequest, UnsignableError, signer_names
from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.controllers.certificates.requests import request_of
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import condition_is, copy_json, get_path

logger = logging.getLogger(__name__)

Sign: TypeAlias = Callable[[str, SigningRequest], Awaitable[bytes]]
"""What a signer makes of a request. Raises `UnsignableError`; other errors are the authority's."""


class CertificateSigner(Controller):
    def __init__(self, context: ControllerContext, *, sign: Sign) -> None:
        version = f"{context.dialect.group('certificates')}/v1"
        self._api = context.client.resource(version, "certificatesigningrequests")
        self._requests = context.informers.cache(version, "certificatesigningrequests")
        self._signers = signer_names(context.dialect)
        self._sign = sign
        super().__init__("certificate signing", context.clock, (Source(self._requests, itself),), workers=1)

    async def reconcile(self, key: ObjectKey) -> None:
        csr = self._requests.get(key.name)
        if csr is None or csr["spec"]["signerName"] not in self._signers or get_path(csr, "status.certificate"):
            return
        if not condition_is(csr, "Approved") or condition_is(csr, "Failed"):
            return
        changed = copy_json(csr)
        try:
            certificate = await self._sign(csr["spec"]["signerName"], request_of(csr))
        except UnsignableError as error:
            logger.warning("certificate signing request %s is not signed: %s", key.name, error)
            failed = {"type": "Failed", "status": "True", "reason": "SignerValidationFailure", "message": str(error)}
            changed["status"]["conditions"].append(failed)
        except (OSError, ValueError) as error:
            logger.warning("certificate signing request %s can't be signed now: %s", key.name, error)
            self.queue.add_after(key, limits.SIGNING_RETRY_S)
            return
        else:
            changed["status"]["certificate"] = base64.b64encode(certificate).decode()
        await self._api.update(changed, "status")
