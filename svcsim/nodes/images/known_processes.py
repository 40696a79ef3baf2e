"""What well-known images run where nobody gives them a command: how it is shown among processes, and the ports at which it listens."""

from svcsim.nodes.images.images import base_name, known_name

_SHOWN = {
    "alpine": "/bin/sh",
    "busybox": "sh",
    "caddy": "caddy run --config /etc/caddy/Caddyfile --adapter caddyfile",
    "debian": "bash",
    "golang": "bash",
    "haproxy": "haproxy -W -db -f /usr/local/etc/haproxy/haproxy.cfg",
    "httpd": "httpd -DFOREGROUND",
    "mariadb": "mariadbd",
    "memcached": "memcached",
    "mongo": "mongod --bind_ip_all",
    "mysql": "mysqld",
    "nginx": "nginx: master process nginx -g daemon off;",
    "node": "node",
    "pause": "/pause",
    "perl": "perl -de0",
    "postgres": "postgres",
    "python": "python3",
    "redis": "redis-server *:6379",
    "registry": "registry serve /etc/distribution/config.yml",
    "serve_hostname": "/serve_hostname",
    "traefik": "traefik traefik",
    "ubuntu": "/bin/bash",
    "wordpress": "apache2 -DFOREGROUND",
}
_PORTS = {
    "nginx": (80,), "httpd": (80,), "caddy": (80, 443), "haproxy": (80,), "traefik": (80,), "redis": (6379,), "postgres": (5432,),
    "mysql": (3306,), "mariadb": (3306,), "mongo": (27017,), "memcached": (11211,), "rabbitmq": (5672,), "registry": (5000,),
    "grafana": (3000,), "prometheus": (9090,), "wordpress": (80,), "zookeeper": (2181,), "cassandra": (7000, 9042),
    "nginx-unprivileged": (8080,),
    # The images of the walk-throughs in Kubernetes' own documentation.
    "serve_hostname": (9376,), "hello-app": (8080,), "node-hello": (8080,), "kubernetes-bootcamp": (8080,), "echoserver": (8080,),
    "gb-frontend": (80,), "gb-redis-follower": (6379,), "gb-redisslave": (6379,), "hpa-example": (80,),
    "kubernetes-zookeeper": (2181, 2888, 3888),
}  # fmt: skip


def shown_process(image: str) -> str:
    """What is shown of a container's first process; its image's name, as a guess, where nobody knows what that starts."""
    name = known_name(image)
    return _SHOWN.get(name, name)


def known_ports(image: str) -> tuple[int, ...]:
    """Where it listens; nowhere, as far as anybody knows, for any other image."""
    own, known = base_name(image), known_name(image)
    return _PORTS.get(own, _PORTS.get(known, ()))
