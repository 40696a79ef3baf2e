"""ResourceQuota: all objects of a namespace together take no more than its quotas allow."""
