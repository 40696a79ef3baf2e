"""The autoscaling group: HorizontalPodAutoscaler in its two versions, and the Scale that scalable kinds show."""
