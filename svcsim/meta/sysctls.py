"""Kernel parameters that a pod may set without harm to others on its node, by the version of Kubernetes since which they count for that."""

SYSCTLS = (
    "kernel.shm_rmid_forced",
    *(f"net.ipv4.{name}" for name in ("ip_local_port_range", "ip_unprivileged_port_start", "tcp_syncookies", "ping_group_range")),
)
SYSCTLS_1_27 = (*SYSCTLS, "net.ipv4.ip_local_reserved_ports")
SYSCTLS_1_29 = (
    *SYSCTLS_1_27,
    *(f"net.ipv4.{name}" for name in ("tcp_keepalive_time", "tcp_fin_timeout", "tcp_keepalive_intvl", "tcp_keepalive_probes")),
)
SYSCTLS_1_32 = (*SYSCTLS_1_29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem")
SAFE_SYSCTLS = SYSCTLS_1_32
"""As of today."""
