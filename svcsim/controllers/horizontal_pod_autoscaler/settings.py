"""What Kubernetes' controller manager has options for (``--horizontal-pod-autoscaler-…``), with their defaults."""

SYNC_PERIOD_S = 15.0
"""How often each autoscaler is looked at."""
TOLERANCE = 0.1
"""How far a metric may be from its target without consequence, unless an autoscaler says otherwise."""
DOWNSCALE_STABILIZATION_S = 300.0
"""How long the largest recommendation counts, unless an autoscaler says otherwise."""
CPU_INITIALIZATION_PERIOD_S = 300.0
"""How long after a pod's start its use of processors is looked at with care: it may still be starting."""
INITIAL_READINESS_DELAY_S = 30.0
"""A pod that became unready for the last time within so much time of its start is taken for one that has never been ready."""
SCALE_UP_FACTOR, SCALE_UP_LEAST = 2, 4
"""Without a behavior of its own, an autoscaler at most doubles a size at a time, or makes it this."""
CUSTOM_METRIC_WINDOW_S = 60.0
"""Over which time a custom metric is an average that doesn't say so."""
