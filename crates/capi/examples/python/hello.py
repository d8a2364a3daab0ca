import ctypes, sys

lib = ctypes.CDLL("librocksdb.so.10.10")
for name in ("options_create", "open", "writeoptions_create", "readoptions_create", "get"):
    getattr(lib, "rocksdb_" + name).restype = ctypes.c_void_p
error = ctypes.c_char_p()
options = ctypes.c_void_p(lib.rocksdb_options_create())
lib.rocksdb_options_set_create_if_missing(options, ctypes.c_ubyte(1))
db = ctypes.c_void_p(lib.rocksdb_open(options, sys.argv[1].encode(), ctypes.byref(error)))
if error.value:
    sys.exit(error.value.decode())
write, read = ctypes.c_void_p(lib.rocksdb_writeoptions_create()), ctypes.c_void_p(lib.rocksdb_readoptions_create())
key, value, length = b"planet:3", b"Earth", ctypes.c_size_t()
lib.rocksdb_put(db, write, key, ctypes.c_size_t(8), value, ctypes.c_size_t(5), ctypes.byref(error))
found = lib.rocksdb_get(db, read, key, ctypes.c_size_t(8), ctypes.byref(length), ctypes.byref(error))
print("planet:3 =", ctypes.string_at(found, length.value).decode())
lib.rocksdb_close(db)
