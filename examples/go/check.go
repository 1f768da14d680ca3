// Asks Commonhold whether a user has access to a document.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
	"unicode/utf8"
)

var errInvalidID = errors.New("no user or document can have this id")

type object map[string]any

// One client for the whole process: it keeps its connections open. It follows no redirect, which could send the credentials
// to another server.
var commonhold = http.Client{
	Timeout:       2 * time.Second, // of the whole call, including the body of the response
	Transport:     transport(),
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func transport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 100 // the default keeps 2 open
	return transport
}

// check returns the decision about a user and a document. An error says nothing about the access of the user.
func check(ctx context.Context, userID, organizationID, documentID, atLeast string) (bool, error) {
	if !utf8.ValidString(userID + organizationID + documentID) {
		return false, errInvalidID // as JSON it would become another id than the handler uses
	}
	resource := object{"type": "document", "id": documentID, "organizationId": organizationID}
	question := object{"userId": userID, "resource": resource, "atLeast": atLeast}
	body, err := json.Marshal(object{"data": object{"checks": []object{question}}})
	if err != nil {
		return false, err
	}
	url := os.Getenv("COMMONHOLD_URL") + "/v2/auth/permissions/check"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	request.Header.Set("content-type", "application/json")
	request.Header.Set("x-service-api-key", os.Getenv("COMMONHOLD_API_KEY"))
	request.Header.Set("x-service-auth-token", os.Getenv("COMMONHOLD_AUTH_TOKEN"))
	request.Header["Idempotency-Key"] = nil // is not sent; net/http may repeat the call if a kept connection was closed
	response, err := commonhold.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return false, err
	}
	return decisionIn(response.StatusCode, text)
}

// decisionIn returns the decision in a response. Everything else is an error, also a 403, which is about the API key.
func decisionIn(status int, text []byte) (bool, error) {
	var answer struct {
		Result struct {
			Data struct {
				Checks []struct{ Allowed *bool }
			}
		}
		Error struct{ Reason string }
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return false, fmt.Errorf("Commonhold responded with %d, not with JSON: %w", status, err)
	}
	checks := answer.Result.Data.Checks
	switch {
	case status == http.StatusOK && len(checks) == 1 && checks[0].Allowed != nil:
		return *checks[0].Allowed, nil
	case status == http.StatusBadRequest && answer.Error.Reason == "invalid_argument":
		return false, errInvalidID
	}
	return false, fmt.Errorf("Commonhold responded with %d: %s", status, text)
}
