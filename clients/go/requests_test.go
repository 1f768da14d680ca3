package commonhold_test

// What is sent is what the caller wrote, or an error.

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"commonhold"
)

func TestJSONThatARequestCannotHoldIsRefused(t *testing.T) {
	const grant = `{"data": {"user": {"userId": "ada"}, "permissions": {"resources": [{"type": "document", "id": "d"}]}}}`
	must(commonhold.FromJSON[commonhold.PermissionsAddRequest](grant))(t)
	for text, field := range map[string]string{
		strings.Replace(grant, `"id": "d"`, `"id": "d", "expireAt": 1`, 1): "data.permissions.resources[0].expireAt",
		strings.Replace(grant, `"data"`, `"dryRun": true, "data"`, 1):      "dryRun",
		strings.Replace(grant, `{"userId": "ada"}`, `null`, 1):             "data.user",
	} {
		_, err := commonhold.FromJSON[commonhold.PermissionsAddRequest](text)
		if err == nil || !strings.Contains(err.Error(), "cannot hold "+field+" of") {
			t.Error(field, err)
		}
	}
	const document = `{"data": {"organizationId": "acme", "documents": [{"documentId": "d", "own": {"a": [1.0, null]}, "n": 1}]}}`
	request := must(commonhold.FromJSON[commonhold.DocumentsAddRequest](document))(t)
	if request.Data.Documents[0].AdditionalProperties["n"] != 1.0 {
		t.Error(request)
	}
	large := strings.Replace(document, `"n": 1`, `"n": 9007199254740993`, 1)
	if _, err := commonhold.FromJSON[commonhold.DocumentsAddRequest](large); err == nil || !strings.Contains(err.Error(), "documents[0].n") {
		t.Error(err)
	}
}

func TestNullsAreDistinguishedFromAbsentFields(t *testing.T) {
	change := func(name string) string {
		return `{"data":{"folders":[{"folderId":"plans"` + name + `}],"organizationId":"acme"}}`
	}
	for _, text := range []string{change(""), change(`,"folderName":null`), change(`,"folderName":"Plans"`)} {
		request := must(commonhold.FromJSON[commonhold.FoldersUpdateRequest](text))(t)
		if sent := must(json.Marshal(request))(t); string(sent) != text {
			t.Error(string(sent))
		}
	}
	var comments commonhold.CommentsGetResponse
	if err := json.Unmarshal([]byte(`{"result": {"data": [null]}}`), &comments); err != nil || !comments.Result.Data[0].IsNull() {
		t.Error(err, comments.Result.Data)
	}
}

func TestTextsThatAreNotUTF8AreNotSentAsOthers(t *testing.T) {
	bodies := []string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		_, _ = io.WriteString(w, success)
	}))
	t.Cleanup(server.Close)
	client := must(commonhold.New(server.URL, commonhold.ForAPIKey("key", "token")))(t)
	named := func(id string) error {
		var request commonhold.DocumentsAddRequest
		request.Data.OrganizationId = id
		_, err := client.DocumentsAdd(context.Background(), request)
		return err
	}
	for _, id := range []string{"a\xff", "é"[:1], "\xed\xa0\x80"} {
		if err := named(id); err == nil || !strings.Contains(err.Error(), "not UTF-8") {
			t.Errorf("%q %v", id, err)
		}
	}
	for _, id := range []string{"\ufffd", `a\ufffd`, `\\ufffd`, "\u2028😀\x00\"/%2F.."} {
		var sent struct {
			Data struct{ OrganizationID string }
		}
		if err := named(id); err != nil || json.Unmarshal([]byte(bodies[len(bodies)-1]), &sent) != nil || sent.Data.OrganizationID != id {
			t.Errorf("%q %v %q", id, err, sent.Data.OrganizationID)
		}
	}
	if len(bodies) != 4 {
		t.Error(bodies)
	}
}

func TestWhatNoHeaderCanHaveIsNotSent(t *testing.T) {
	client, calls := handled(t, func(_ int, w http.ResponseWriter) { _, _ = w.Write([]byte(success)) })
	for _, key := range []string{"", "order→7", "order\n7", " order", "order ", strings.Repeat("x", 256)} {
		_, err := client.DocumentsAdd(context.Background(), commonhold.DocumentsAddRequest{}, commonhold.WithIdempotencyKey(key))
		if commonhold.Reason(err) != "idempotency_key_invalid" {
			t.Errorf("%q %v", key, err)
		}
	}
	if *calls != 0 {
		t.Error(*calls)
	}
	token := func(context.Context) (string, error) { return "secret\n", nil }
	for _, credentials := range []commonhold.Credentials{commonhold.ForAPIKey("key", "secret\n"), commonhold.ForUser(token)} {
		client := must(commonhold.New("http://127.0.0.1:2", credentials))(t)
		_, err := client.OrganizationsGet(context.Background(), commonhold.OrganizationsGetRequest{})
		if commonhold.Reason(err) != "credentials_unavailable" || strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	}
	for _, url := range []string{"", "127.0.0.1:8080", "ftp://127.0.0.1", "http://127.0.0.1/v2/", "http://a?b=1", "http://a:b@c"} {
		if _, err := commonhold.New(url, commonhold.Anonymous()); err == nil {
			t.Error(url)
		}
	}
}

func TestASuccessThatCannotBeReadHasAReason(t *testing.T) {
	for _, body := range []string{success[:30], `{"result": {"status": "success", "message": 1}}`} {
		client, calls := handled(t, func(_ int, w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = w.Write([]byte(body))
		})
		var failure *commonhold.APIError
		if err := add(context.Background(), client); !errors.As(err, &failure) || failure.Reason != "answer_unreadable" || *calls != 1 {
			t.Error(body, *calls, err)
		}
	}
}

func TestALongRetryAfterIsNotShort(t *testing.T) {
	for _, seconds := range []string{"9223372037", "18446744074", "99999999999999999999"} {
		client, calls := handled(t, func(_ int, w http.ResponseWriter) {
			w.Header().Set("Retry-After", seconds)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		if err := add(context.Background(), client); commonhold.Reason(err) != "rate_limited" || *calls != 1 {
			t.Error(seconds, *calls, err)
		}
	}
}
