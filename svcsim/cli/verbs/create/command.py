"""The ``create`` command: from files, or with a sub-command from flags."""

from svcsim.cli.verbs.create.bindings import CLUSTER_ROLE_BINDING, ROLE_BINDING
from svcsim.cli.verbs.create.config import CONFIGMAP, SECRET
from svcsim.cli.verbs.create.from_files import CREATE as FROM_FILES
from svcsim.cli.verbs.create.roles import CLUSTER_ROLE, ROLE
from svcsim.cli.verbs.create.services import SERVICE
from svcsim.cli.verbs.create.simple import NAMESPACE, PRIORITY_CLASS, QUOTA, SERVICE_ACCOUNT
from svcsim.cli.verbs.create.token import TOKEN
from svcsim.cli.verbs.create.workloads import CRON_JOB, DEPLOYMENT, JOB

CREATE = FROM_FILES._replace(
    usage="create (-f FILENAME | TYPE NAME) [flags]",
    doc="Create objects from files, or from flags.",
    elsewhere=("ingress", "ing", "poddisruptionbudget", "pdb"),
    subcommands=(
        *(CLUSTER_ROLE, CLUSTER_ROLE_BINDING, CONFIGMAP, CRON_JOB, DEPLOYMENT, JOB, NAMESPACE, PRIORITY_CLASS, QUOTA),
        *(ROLE, ROLE_BINDING, SECRET, SERVICE, SERVICE_ACCOUNT, TOKEN),
    ),
)
