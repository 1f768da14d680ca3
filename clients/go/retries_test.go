package commonhold_test

// Which calls are repeated, and how: against a server that refuses at first.

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"commonhold"
)

// refusing responds to the first calls with these statuses and then with success, and keeps the keys of the calls.
func refusing(t *testing.T, statuses ...string) (*commonhold.Client, *[]string) {
	keys := []string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		if len(keys) > len(statuses) {
			_, _ = w.Write([]byte(`{"result": {"status": "success", "message": "", "data": {}}}`))
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"error": {"status": "` + statuses[len(keys)-1] + `", "reason": "because", "message": "No."}}`))
	}))
	t.Cleanup(server.Close)
	return must(commonhold.New(server.URL, commonhold.ForAPIKey("key", "token")))(t), &keys
}

func TestChangesAreRepeatedWithOneKey(t *testing.T) {
	client, keys := refusing(t, "UNAVAILABLE", "RESOURCE_EXHAUSTED")
	must(client.DocumentsAdd(context.Background(), commonhold.DocumentsAddRequest{}))(t)
	if len(*keys) != 3 || (*keys)[0] == "" || (*keys)[0] != (*keys)[1] || (*keys)[1] != (*keys)[2] {
		t.Error(*keys)
	}
}

func TestRefusalsAreNotRepeated(t *testing.T) {
	client, keys := refusing(t, "INVALID_ARGUMENT")
	if _, err := client.DocumentsAdd(context.Background(), commonhold.DocumentsAddRequest{}); commonhold.Reason(err) != "because" {
		t.Error(err)
	}
	if len(*keys) != 1 {
		t.Error(*keys)
	}
}

func TestChangesWithoutAKeyAreNotRepeated(t *testing.T) {
	client, keys := refusing(t, "UNAVAILABLE")
	if _, err := client.WorkspacesCreate(context.Background(), commonhold.WorkspacesCreateRequest{}); err == nil {
		t.Error("it was repeated")
	}
	if len(*keys) != 1 || (*keys)[0] != "" {
		t.Error(*keys)
	}
}

func TestAnUnreachableServerHasAReason(t *testing.T) {
	client := must(commonhold.New("http://127.0.0.1:2", commonhold.ForAPIKey("key", "token"), commonhold.WithTries(1)))(t)
	if _, err := client.OrganizationsGet(context.Background(), commonhold.OrganizationsGetRequest{}); commonhold.Reason(err) != "unreachable" {
		t.Error(err)
	}
}
