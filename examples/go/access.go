// Lets a request on a document pass only if the signed-in user has access to the document.

package main

import (
	"context"
	"errors"
	"log"
	"net/http"
)

func requireAccess(atLeast string, handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status := statusFor(r.Context(), userOf(r), r.PathValue("organizationId"), r.PathValue("documentId"), atLeast)
		if status == http.StatusOK {
			handler(w, r)
		} else {
			http.Error(w, http.StatusText(status), status)
		}
	}
}

func statusFor(ctx context.Context, userID, organizationID, documentID, atLeast string) int {
	if userID == "" {
		return http.StatusUnauthorized
	}
	allowed, err := check(ctx, userID, organizationID, documentID, atLeast)
	switch {
	case errors.Is(err, errInvalidID):
		return http.StatusBadRequest
	case err != nil:
		log.Print(err)
		return http.StatusServiceUnavailable // nobody knows whether the user has access: neither a pass nor a denial
	case allowed:
		return http.StatusOK
	}
	return http.StatusForbidden
}
