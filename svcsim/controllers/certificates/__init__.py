"""What becomes of CertificateSigningRequests: who approves them, who signs them, and when they are deleted."""
