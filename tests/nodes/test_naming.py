"""What pods are called in their network, which hosts they know, and whom they ask for the others."""

import pytest

from svcsim.meta.types import Object
from tests.living import living
from tests.nodes.test_processes import ONCE, ended, log, of_containers, script

CLUSTER = "search default.svc.cluster.local svc.cluster.local cluster.local"
OPTIONS = [{"name": "ndots", "value": "2"}, {"name": "edns0"}]


async def said(text: str, **spec: object) -> str:
    async with living(nodes=1) as cluster:
        await ended(cluster, of_containers(script(text), **{**ONCE, **spec}))
        return await log(cluster, "web")


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("spec", "file"),
    [
        ({}, f"{CLUSTER}\nnameserver 10.96.0.10\noptions ndots:5\n"),
        (
            {
                "dnsPolicy": "None",
                "dnsConfig": {"nameservers": ["192.0.2.1"], "searches": ["ns1.svc.x.example", "y.z"], "options": OPTIONS},
            },
            "search ns1.svc.x.example y.z\nnameserver 192.0.2.1\noptions ndots:2 edns0\n",
        ),
        ({"dnsPolicy": "Default"}, "nameserver 10.0.0.1\n"),
        ({"dnsPolicy": "Default", "dnsConfig": {"searches": ["x.y"]}}, "search x.y\nnameserver 10.0.0.1\n"),
        ({"hostNetwork": True}, "nameserver 10.0.0.1\n"),
        ({"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}, f"{CLUSTER}\nnameserver 10.96.0.10\noptions ndots:5\n"),
        (
            {"dnsConfig": {"nameservers": ["10.96.0.10", "192.0.2.1"], "searches": ["x.y", "cluster.local"], "options": OPTIONS}},
            f"{CLUSTER} x.y\nnameserver 10.96.0.10\nnameserver 192.0.2.1\noptions ndots:2 edns0\n",
        ),
    ],
)
async def test_names_are_asked_for_as_the_pods_dns_policy_and_its_own_settings_say(spec: Object, file: str):
    assert await said("cat /etc/resolv.conf", **spec) == file


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ({}, "web\nweb\nweb\n"),
        ({"hostname": "box-1"}, "box-1\nbox-1\nbox-1\n"),
        ({"hostname": "box-1", "subdomain": "sub"}, "box-1\nbox-1\nbox-1.sub.default.svc.cluster.local\n"),
        (
            {"hostname": "box-1", "subdomain": "sub", "setHostnameAsFQDN": True},
            "box-1.sub.default.svc.cluster.local\nbox-1\nbox-1.sub.default.svc.cluster.local\n",
        ),
        ({"hostname": "box-1", "setHostnameAsFQDN": True}, "box-1\nbox-1\nbox-1\n"),
        ({"hostname": "box-1", "subdomain": "sub", "hostnameOverride": "own.example"}, "own.example\nown\nown.example\n"),
        ({"hostname": "box-1", "subdomain": "sub", "hostNetwork": True}, "node-1\nnode-1\nnode-1\n"),
    ],
)
async def test_a_host_has_a_short_name_and_one_in_its_domain(spec: Object, names: str):
    assert await said("hostname; hostname -s; hostname -f", **spec) == names


@pytest.mark.virtual_time
async def test_hosts_are_known_with_the_pods_own_and_the_aliases_that_it_is_given():
    aliases = [{"ip": "127.0.0.1", "hostnames": ["foo.local", "bar.local"]}, {"ip": "10.1.2.3", "hostnames": ["foo.remote", "bar.remote"]}]
    text = "hostname -i > /tmp/ip; cat /tmp/ip /etc/hosts"
    address, _, hosts = (await said(text, hostname="box-1", subdomain="sub", hostAliases=aliases)).partition("\n")
    assert hosts == (
        "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
        "fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n"
        f"{address}\tbox-1.sub.default.svc.cluster.local\tbox-1\n"
        "\n# Entries added by HostAliases.\n127.0.0.1\tfoo.local\tbar.local\n10.1.2.3\tfoo.remote\tbar.remote\n"
    )


@pytest.mark.virtual_time
async def test_a_name_that_is_too_long_for_a_host_keeps_its_pod_from_being_made():
    async with living(nodes=1) as cluster:
        named = {"hostname": "box-1", "subdomain": "a" * 40, "setHostnameAsFQDN": True}
        await cluster.pods.create(of_containers(script("sleep 60"), **named))
        await cluster.sleep(30)
        status = (await cluster.pods.get("web"))["status"]
        assert (status["phase"], status["containerStatuses"][0]["state"]["waiting"]["reason"]) == ("Pending", "ContainerCreating")
        name = f"box-1.{'a' * 40}.default.svc.cluster.local"
        size = f"(64 characters is the max, {len(name)} characters requested)"
        told = f"failed to construct FQDN from pod hostname and cluster domain, FQDN {name} is too long {size}"
        assert f"Failed to create pod sandbox: {told}" in [event["message"] for event in await cluster.events("web")]
