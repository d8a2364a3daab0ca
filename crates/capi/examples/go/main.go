package main

import (
	"fmt"
	"os"

	"github.com/linxGnu/grocksdb"
)

func main() {
	options := grocksdb.NewDefaultOptions()
	options.SetCreateIfMissing(true)
	db, err := grocksdb.OpenDb(options, os.Args[1])
	if err != nil {
		panic(err)
	}
	defer db.Close()
	if err := db.Put(grocksdb.NewDefaultWriteOptions(), []byte("planet:3"), []byte("Earth")); err != nil {
		panic(err)
	}
	value, err := db.Get(grocksdb.NewDefaultReadOptions(), []byte("planet:3"))
	if err != nil {
		panic(err)
	}
	defer value.Free()
	fmt.Printf("planet:3 = %s\n", value.Data())
}
