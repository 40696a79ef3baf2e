"""The front of the wire: HTTP/1.1 on a socket, in front of a `Handler`. Imported only when a socket is opened."""
