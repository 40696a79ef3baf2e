"""The name of LMDB's file, for those too who only look whether it is there: they must not have to load LMDB for it."""

DATA_FILE = "data.mdb"
