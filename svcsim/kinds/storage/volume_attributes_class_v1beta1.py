"""VolumeAttributesClass in storage/v1beta1: kubectl up to 1.32 asks for it when it describes one."""

from svcsim.kinds.groups import STORAGE_V1BETA1
from svcsim.kinds.shared.earlier_version import earlier_version
from svcsim.kinds.storage.volume_attributes_class import VOLUME_ATTRIBUTES_CLASS

VOLUME_ATTRIBUTES_CLASS_V1BETA1 = earlier_version(VOLUME_ATTRIBUTES_CLASS, STORAGE_V1BETA1, deprecated="1.34", gone="1.37")
