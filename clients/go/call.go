package commonhold

// How a call is made: its attempts, and the delays between them.

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"math"
	mathrand "math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// CallOption changes one call.
type CallOption func(*callOptions)

type callOptions struct{ key string }

// WithIdempotencyKey replaces the generated key, to be safe across restarts of the program: a repeat within 24 hours
// gets the first response and changes nothing.
func WithIdempotencyKey(key string) CallOption { return func(o *callOptions) { o.key = key } }

// operation is a line of the document; changes have an Idempotency-Key.
type operation struct {
	name, path string
	changes    bool
}

const longestDelay = 8 * time.Second

// longestCall bounds the retries of a call whose context has no deadline, as in the clients for other languages.
const longestCall = time.Minute

func call[Response any](ctx context.Context, c *Client, op operation, request any, options []CallOption) (*Response, error) {
	chosen := callOptions{key: rand.Text()}
	for _, option := range options {
		option(&chosen)
	}
	body, err := bodyOf(request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op.name, err)
	}
	if op.changes && !isKey(chosen.key) {
		return nil, &APIError{Operation: op.name, Status: "INVALID_ARGUMENT", Reason: "idempotency_key_invalid",
			Message: "the idempotency key must be 1 to 255 printable ASCII characters"}
	}
	end, ok := ctx.Deadline()
	if !ok {
		end = time.Now().Add(longestCall)
	}
	for try := 1; ; try++ {
		response := new(Response)
		failure := c.attempt(ctx, op, body, chosen.key, response)
		if failure == nil {
			return response, nil
		}
		if ctx.Err() != nil {
			return nil, failure.endedBy(ctx)
		}
		if try >= c.tries || !failure.isRetryable(op) {
			return nil, failure
		}
		growing := min(float64(longestDelay), float64(c.delay)*math.Pow(2, float64(try-1)))
		delay := time.Duration(mathrand.Float64() * growing)
		if time.Until(end)-delay <= failure.retryAfter {
			return nil, failure // no other attempt would be made
		}
		timer := time.NewTimer(failure.retryAfter + delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, failure.endedBy(ctx)
		}
	}
}

// lasting has the reasons with a retryable status for which a retry fails until something is deleted.
var lasting = map[string]bool{
	"permission_provider_failed": true,
	"thread_full":                true,
	"too_many_auth_tokens":       true,
	"too_many_bytes":             true,
	"too_many_domain_requests":   true,
	"too_many_domains":           true,
	"too_many_folders":           true,
	"too_many_group_users":       true,
	"too_many_operators":         true,
	"too_many_pairs":             true,
	"too_many_production_keys":   true,
	"too_many_signing_keys":      true,
	"too_many_webhook_endpoints": true,
	"too_many_webhook_messages":  true,
	"too_much_inside":            true,
	"too_many_workspace_tokens":  true,
	"too_many_workspaces":        true,
}

// Calls that change something without an Idempotency-Key are repeated only if the server changed nothing.
func (e *APIError) isRetryable(op operation) bool {
	if lasting[e.Reason] {
		return false
	}
	switch e.Status {
	case "ABORTED", "RESOURCE_EXHAUSTED":
		return true
	case "UNAVAILABLE", "DEADLINE_EXCEEDED":
		return op.changes || op.isReading()
	}
	return false
}

// isReading is about operations without a key, of which only these change nothing.
func (op operation) isReading() bool {
	verb := op.name[strings.LastIndex(op.name, ".")+1:]
	switch verb {
	case "get", "list", "count", "check", "explain", "simulate", "find", "verify", "read":
		return true
	}
	return false
}

func (c *Client) attempt(ctx context.Context, op operation, body []byte, key string, into any) *APIError {
	fail := func(status, reason, message string, cause error) *APIError {
		return &APIError{Operation: op.name, Status: status, Reason: reason, Message: message, cause: cause}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+op.path, bytes.NewReader(body))
	if err != nil {
		return fail("INVALID_ARGUMENT", "url_invalid", err.Error(), err)
	}
	headers, err := c.credentials.headers(ctx, c.prefix)
	if err != nil {
		return fail("UNAUTHENTICATED", "credentials_unavailable", err.Error(), err)
	}
	if name := unsendable(headers); name != "" {
		return fail("UNAUTHENTICATED", "credentials_unavailable",
			"the value of "+name+" has a character that a header cannot have, such as a line break", nil)
	}
	request.Header = headers.Clone()
	request.Header.Set("Content-Type", "application/json")
	if op.changes {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return unanswered(fail, "cannot reach "+c.url, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return unanswered(fail, "the response of "+c.url+" broke off", err)
	}
	if response.StatusCode == http.StatusOK {
		if !isSuccess(text) {
			if strings.Contains(response.Header.Get("Content-Type"), "json") && !json.Valid(text) {
				return fail("INTERNAL", "answer_unreadable", "the response is truncated or malformed JSON; a change may have been made", nil)
			}
			return fail("INTERNAL", "not_commonhold", "the response is not that of Commonhold", nil)
		}
		if err := json.Unmarshal(text, into); err != nil {
			return fail("INTERNAL", "answer_unreadable",
				"the response has something that this version of the client does not know; a change may have been made: "+err.Error(), err)
		}
		return nil
	}
	return refusal(op, response, text)
}
