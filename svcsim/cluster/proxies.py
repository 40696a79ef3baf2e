"""The proxies before a cluster, as its settings have them."""

from svcsim.auth.authorities import Authorities, read_authorities
from svcsim.auth.request_header import ProxyHeaders, RequestHeader
from svcsim.auth.validity import Validity
from svcsim.cluster.request_header_spec import RequestHeaderSpec
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.names import http_header

_CA = "--requestheader-client-ca-file"
_USER = "--requestheader-username-headers"


def proxy_authorities(spec: RequestHeaderSpec) -> Authorities:
    """Those who vouch for proxies. Raises `ConfigurationError`."""
    return read_authorities(_CA, spec.client_ca_file)


def request_headers(spec: RequestHeaderSpec, validity: Validity) -> tuple[RequestHeader, ...]:
    """Who believes proxies: none where there are none. Raises `ConfigurationError` for what makes no sense together."""
    named = (
        (_USER, spec.username_headers),
        ("--requestheader-uid-headers", spec.uid_headers),
        ("--requestheader-group-headers", spec.group_headers),
        ("--requestheader-extra-headers-prefix", spec.extra_headers_prefix),
    )
    if spec.client_ca_file is None:
        for option, names in (*named, ("--requestheader-allowed-names", spec.allowed_names)):
            if names:
                raise ConfigurationError(f"{option} needs {_CA}: anybody can send a header, and a proxy is known by its certificate")
        return ()
    if not spec.username_headers:
        raise ConfigurationError(f"{_CA} needs {_USER}, such as X-Remote-User: in which header a proxy says who asks")
    for option, names in named:
        for name in names:
            if http_header(name):
                raise ConfigurationError(f"{option}: {name!r} is no name of a header")
    lower = ProxyHeaders(*(tuple(name.lower() for name in names) for _, names in named))
    return (RequestHeader(lower, proxy_authorities(spec).fingerprints, spec.allowed_names, validity),)
