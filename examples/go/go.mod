module example.com/documents

go 1.24
