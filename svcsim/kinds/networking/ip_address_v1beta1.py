"""IPAddress in networking/v1beta1: kubectl up to 1.32 asks for it when it describes one."""

from svcsim.kinds.groups import NETWORKING_V1BETA1
from svcsim.kinds.networking.ip_address import IP_ADDRESS
from svcsim.kinds.shared.earlier_version import earlier_version

IP_ADDRESS_V1BETA1 = earlier_version(IP_ADDRESS, NETWORKING_V1BETA1, deprecated="1.34", gone="1.37")
