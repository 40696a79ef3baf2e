"""``auth``: who one is, what one may do, and roles as files have them."""
