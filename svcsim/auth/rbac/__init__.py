"""Role-based access control: roles say what may be done, bindings say by whom and where."""
