"""The revisioned store on LMDB."""
