"""The spec of a pod, which pods, pod templates and all workloads have."""
