"""HorizontalPodAutoscaler in its two versions: v2, in which it is stored, and v1, which knows CPU utilization only."""
