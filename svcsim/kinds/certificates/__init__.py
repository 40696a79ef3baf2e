"""The certificates group: requests for certificates, their approval and what was issued."""
