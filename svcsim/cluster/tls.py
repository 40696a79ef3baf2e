"""With what a cluster listens: the certificate it shows, and those of clients that it looks at."""

import ssl

from svcsim.auth.authorities import read_authorities
from svcsim.auth.certificates import Credentials
from svcsim.cluster.proxies import proxy_authorities
from svcsim.cluster.spec import ClusterSpec
from svcsim.server.http.client_certificates import TolerantContext

_NO_CHECK_TIME = 0x20_0000
"""``X509_V_FLAG_NO_CHECK_TIME``, which the module for TLS has no name for: times are the authenticators' (`svcsim.auth.validity`)."""
CLIENT_CA = "--client-ca-file"


def server_context(spec: ClusterSpec, credentials: Credentials) -> ssl.SSLContext:
    """Every authority is trusted here; what a certificate of theirs counts for, authenticators know by its chain."""
    context = TolerantContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(credentials.server_certificate, credentials.server_key)
    context.load_verify_locations(credentials.ca_certificate)
    for others in (read_authorities(CLIENT_CA, spec.credentials.client_ca_file), proxy_authorities(spec.request_header)):
        if others.pem:
            context.load_verify_locations(cadata=others.pem)
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | ssl.VerifyFlags(_NO_CHECK_TIME)
    context.look_at_certificates()
    return context
