"""Tokens of service accounts, put together: the keys, whose tokens count, and what signs, judges and explains them."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from svcsim.auth.certificates import Credentials
from svcsim.auth.service_accounts.authenticator import ServiceAccountTokens, Trusted
from svcsim.auth.service_accounts.discovery import KEYS_PATH, IssuerDocuments, is_discoverable
from svcsim.auth.service_accounts.keys import AccountKeys
from svcsim.auth.service_accounts.legacy import LegacyTokens, MarkUsed
from svcsim.auth.service_accounts.objects import AccountObjects, FindRecord
from svcsim.auth.service_accounts.signer import AccountTokenSigner
from svcsim.auth.service_accounts.words import AccountWords
from svcsim.auth.signing_keys import derived_signing_key, read_public_keys, read_signing_key
from svcsim.auth.token_requests import Lifetimes
from svcsim.cluster.service_account_spec import ServiceAccountSpec
from svcsim.cluster.surroundings import Surroundings
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.files import read_file
from svcsim.meta.go_urls import parse_url
from svcsim.meta.http import Handler
from svcsim.meta.private_files import check_private
from svcsim.server.plain.issuer import issuer_paths

T = TypeVar("T")

_LEAST_EXPIRATION_S = 3600
_MOST_EXPIRATION_S = 2**32


class AccountTokens(NamedTuple):
    """What a cluster's service accounts are known by."""

    authenticator: ServiceAccountTokens
    signer: AccountTokenSigner
    trusted: Trusted
    lifetimes: Lifetimes
    paths: dict[str, Handler]
    """Where others learn how to verify tokens."""


def account_tokens(given: Surroundings, seed: int, find: FindRecord, mark_used: MarkUsed, url: Callable[[], str]) -> AccountTokens:
    """All of it. ``url`` is the server's. Raises `ConfigurationError`."""
    spec, words = given.spec.service_accounts, AccountWords(given.dialect)
    trusted = _trusted(spec, given.dialect.default_service)
    keys = _keys(spec, given.credentials, seed)
    objects = AccountObjects(given.listers.of("serviceaccounts"), find)
    legacy = LegacyTokens(objects, words, given.clock, mark_used, lookup=spec.lookup)
    return AccountTokens(
        ServiceAccountTokens(keys, trusted, objects, legacy, words, given.clock),
        AccountTokenSigner(keys, trusted.issuers[0], words, given.chance.fork("service account tokens")),
        trusted,
        _lifetimes(spec),
        _paths(spec, keys, trusted.issuers[0], url),
    )


def _is_url(text: str) -> bool:
    try:
        return bool(parse_url(text).scheme)
    except ValueError:
        return False


def _trusted(spec: ServiceAccountSpec, service: str) -> Trusted:
    issuers = spec.issuers or (f"https://{service}.default.svc.cluster.local",)
    for issuer in issuers:
        if ":" in issuer and not _is_url(issuer):
            raise ConfigurationError(
                f'--service-account-issuer: "{issuer}" has a colon, and is no URL; give one such as https://example.com'
            )
    return Trusted(issuers, spec.api_audiences or issuers)


def _lifetimes(spec: ServiceAccountSpec) -> Lifetimes:
    longest_s = spec.max_token_expiration_s
    if longest_s is not None and not _LEAST_EXPIRATION_S <= longest_s <= _MOST_EXPIRATION_S:
        raise ConfigurationError("--service-account-max-token-expiration must be between 1 hour and 2^32 seconds")
    return Lifetimes(spec.extend_token_expiration, int(longest_s or 0))


def _keys(spec: ServiceAccountSpec, credentials: Credentials | None, seed: int) -> AccountKeys:
    """Files that somebody gives are read at once, so that what is wrong is told before anything is started."""

    def own() -> bytes:
        assert credentials is not None, "asked for where there are some"
        return credentials.service_account_key.read_bytes()

    signing = spec.signing_key_file
    keys = AccountKeys(
        (lambda: _read("--service-account-signing-key-file", signing, read_signing_key))
        if signing is not None
        else (lambda: derived_signing_key(f"service accounts/{seed}") if credentials is None else read_signing_key(own())),
        lambda: tuple(key for path in spec.key_files for key in _read("--service-account-key-file", path, read_public_keys)),
    )
    if signing is not None or spec.key_files:
        assert keys.public, "which reads all"
    return keys


def _read(option: str, path: Path, reader: Callable[[bytes], T]) -> T:
    try:
        content = read_file(path)
        if b"PRIVATE KEY-----" in content:  # public ones may be anybody's to read
            check_private(option, path)
        return reader(content)
    except OSError as error:
        raise ConfigurationError(f"{option}: {path} can't be read: {(error.strerror or str(error)).lower()}") from error
    except ValueError as error:
        raise ConfigurationError(f"{option}: {path}: {error}") from error


def _paths(spec: ServiceAccountSpec, keys: AccountKeys, issuer: str, url: Callable[[], str]) -> dict[str, Handler]:
    if spec.jwks_uri and not spec.jwks_uri.startswith("https://"):
        raise ConfigurationError(
            f'--service-account-jwks-uri: "{spec.jwks_uri}" is no https URL; give one such as https://example.com/keys'
        )
    if not is_discoverable(issuer):
        return {}
    return issuer_paths(IssuerDocuments(keys, issuer, lambda: spec.jwks_uri or f"{url()}{KEYS_PATH}"))
