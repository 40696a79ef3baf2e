"""ServiceCIDR in networking/v1beta1: kubectl up to 1.32 asks for it when it describes one."""

from svcsim.kinds.groups import NETWORKING_V1BETA1
from svcsim.kinds.networking.service_cidr import SERVICE_CIDR
from svcsim.kinds.shared.earlier_version import earlier_version

SERVICE_CIDR_V1BETA1 = earlier_version(SERVICE_CIDR, NETWORKING_V1BETA1, deprecated="1.34", gone="1.37")
