"""The ``create`` command: from files, or with a sub-command from flags."""

from svcsim.cli.create.config import CONFIGMAP, SECRET
from svcsim.cli.create.services import SERVICE
from svcsim.cli.create.simple import NAMESPACE, PRIORITY_CLASS, QUOTA, SERVICE_ACCOUNT
from svcsim.cli.create.workloads import CRON_JOB, DEPLOYMENT, JOB
from svcsim.cli.write import CREATE as FROM_FILES

CREATE = FROM_FILES._replace(
    usage="create (-f FILENAME | TYPE NAME) [flags]",
    doc="Create objects from files, or from flags.",
    subcommands=(CONFIGMAP, CRON_JOB, DEPLOYMENT, JOB, NAMESPACE, PRIORITY_CLASS, QUOTA, SECRET, SERVICE, SERVICE_ACCOUNT),
)
