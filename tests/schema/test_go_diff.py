"""What differs, in the form of Go."""

import pytest

from svcsim.schema.go_diff import go_diff
from svcsim.schema.types import Bool, Field, Int, List, Map, Str, Struct

PORT = Struct("Port", Field(1, "name", Str()), Field(2, "number", Int()))
DNS = Struct("DNSConfig", Field(1, "names", List(Str())), Field(2, "fsType", Str()))
SPEC = Struct(
    "Spec",
    Field(1, "size", Int()),
    Field(2, "hostIPC", Bool()),
    Field(3, "labels", Map(Str())),
    Field(4, "ports", List(PORT)),
    Field(5, "dnsConfig", DNS),
)


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ({"size": 1}, {"size": 2}, ["- \tSize: 1,", "+ \tSize: 2,", "  \t... // 4 identical fields"]),
        (
            {},
            {"hostIPC": True, "labels": {"b": "2", "a": "1"}},
            [
                "  \t... // 1 identical field",
                "- \tHostIPC: false,",
                "+ \tHostIPC: true,",
                "- \tLabels: nil,",
                '+ \tLabels: {"a": "1", "b": "2"},',
                "  \t... // 2 identical fields",
            ],
        ),
        (
            {"ports": [{"name": "a", "number": 1}, {"name": "b", "number": 2}, {"name": "c", "number": 3}]},
            {"ports": [{"name": "a", "number": 1}, {"number": 2}]},
            [
                "  \t... // 3 identical fields",
                "  \tPorts: []core.Port{",
                "  \t\t... // 1 identical element",
                "  \t\t{",
                '- \t\t\tName: "b",',
                '+ \t\t\tName: "",',
                "  \t\t\t... // 1 identical field",
                "  \t\t},",
                '- \t\t{Name: "c", Number: 3},',
                "  \t},",
                "  \t... // 1 identical field",
            ],
        ),
        (
            {"dnsConfig": {"fsType": "x"}},
            {"dnsConfig": {"fsType": "x", "names": ["é"]}},
            [
                "  \t... // 4 identical fields",
                "  \tDNSConfig: &core.DNSConfig{",
                "- \t\tNames: nil,",
                '+ \t\tNames: {"é"},',
                "  \t\t... // 1 identical field",
                "  \t},",
            ],
        ),
        ({"dnsConfig": {"fsType": "x"}}, {}, ["  \t... // 4 identical fields", '- \tDNSConfig: {FSType: "x"},', "+ \tDNSConfig: nil,"]),
    ],
)
def test_what_differs_is_shown_and_the_rest_counted(old, new, lines):
    assert go_diff(SPEC, old, new).splitlines() == ["  core.Spec{", *lines, "  }"]


NAMES = """
    nfs=NFS httpGet=HTTPGet grpc=GRPC apiVersion=APIVersion apiGroup=APIGroup tcpSocket=TCPSocket iscsi=ISCSI
    iscsiInterface=ISCSIInterface iqn=IQN rbd=RBD fc=FC csi=CSI wwids=WWIDs awsElasticBlockStore=AWSElasticBlockStore
    gcePersistentDisk=GCEPersistentDisk pdName=PDName pdID=PdID cephfs=CephFS storageos=StorageOS
    gmsaCredentialSpec=GMSACredentialSpec ip=IP uid=UID tty=TTY hostPID=HostPID fsGroup=FSGroup seLinuxOptions=SELinuxOptions os=OS
    dnsPolicy=DNSPolicy optional=Optional server=Server secretRef=SecretRef glusterfs=Glusterfs scaleIO=ScaleIO
"""


@pytest.mark.parametrize(("field", "name"), [pair.split("=") for pair in NAMES.split()])
def test_fields_are_called_as_go_calls_them(field: str, name: str):
    assert f"- \t{name}: false," in go_diff(Struct("S", Field(1, field, Bool())), {}, {field: True})
