"""What a request passes before its verb, one small file each. Their order stands in `svcsim.server.pipeline`."""
