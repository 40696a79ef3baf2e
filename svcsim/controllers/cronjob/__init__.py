"""CronJobs: a Job at each of certain times."""
