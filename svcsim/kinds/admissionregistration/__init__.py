"""The admissionregistration group: who else is asked before something is written, over webhooks or by policies."""
