// An app with two routes on documents: viewers may read, editors may also write.

package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

const document = "/organizations/{organizationId}/documents/{documentId}"

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+document, requireAccess("viewer", func(w http.ResponseWriter, r *http.Request) {
		respond(w, "read", r.PathValue("documentId"))
	}))
	mux.HandleFunc("PUT "+document, requireAccess("editor", func(w http.ResponseWriter, r *http.Request) {
		respond(w, "wrote", r.PathValue("documentId"))
	}))

	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	server := http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.Serve(listener))
}

func respond(w http.ResponseWriter, what, documentID string) {
	w.Header().Set("content-type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{what: documentID})
}
