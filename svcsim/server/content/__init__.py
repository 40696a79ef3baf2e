"""What goes over the wire as a body: what a client asks for and sends, and the forms in which it is answered."""
