module hello

go 1.17

require github.com/linxGnu/grocksdb v1.10.7
