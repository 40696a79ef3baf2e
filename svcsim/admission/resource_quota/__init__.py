"""ResourceQuota: all objects of a namespace together use at most what its quotas allow."""
