"""PodSecurity: pods keep to the level of the pod security standards that their namespace's labels say."""
