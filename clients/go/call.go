package commonhold

// How a call is made: its attempts, the delays between them, and its errors.

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	mathrand "math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// APIError is a call that failed.
type APIError struct {
	// Operation is the name of the call in the reference, such as "documents.add".
	Operation string
	// Status and Reason are for programs, Message is for people. Without a response of the server, Reason is
	// "unreachable" or "not_commonhold".
	Status, Reason, Message string
	// Details are as the reference says; with INVALID_ARGUMENT, every fault.
	Details json.RawMessage
	// RequestID is in the log of the server.
	RequestID string

	retryAfter time.Duration
	cause      error
}

func (e *APIError) Error() string {
	return fmt.Sprintf("%s: %s (%s)", e.Operation, e.Message, e.Reason)
}

func (e *APIError) Unwrap() error { return e.cause }

// Reason returns the reason of an error of this package, and "" for others.
func Reason(err error) string {
	var failure *APIError
	if errors.As(err, &failure) {
		return failure.Reason
	}
	return ""
}

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

func call[Response any](ctx context.Context, c *Client, op operation, request any, options []CallOption) (*Response, error) {
	chosen := callOptions{key: rand.Text()}
	for _, option := range options {
		option(&chosen)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op.name, err)
	}
	for try := 1; ; try++ {
		response := new(Response)
		failure := c.attempt(ctx, op, body, chosen.key, response)
		if failure == nil {
			return response, nil
		}
		if ctx.Err() != nil || try >= c.tries || !failure.isRetryable(op) {
			return nil, failure
		}
		growing := min(float64(longestDelay), float64(c.delay)*math.Pow(2, float64(try-1)))
		select {
		case <-time.After(failure.retryAfter + time.Duration(mathrand.Float64()*growing)):
		case <-ctx.Done():
			return nil, failure
		}
	}
}

// Calls that change something without an Idempotency-Key are repeated only if the server changed nothing.
func (e *APIError) isRetryable(op operation) bool {
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
	request.Header = headers.Clone()
	request.Header.Set("Content-Type", "application/json")
	if op.changes {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return fail("UNAVAILABLE", "unreachable", "cannot reach "+c.url+": "+err.Error(), err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return fail("UNAVAILABLE", "unreachable", err.Error(), err)
	}
	if response.StatusCode == http.StatusOK {
		if err := json.Unmarshal(text, into); err != nil {
			return fail("INTERNAL", "not_commonhold", "the response is not that of Commonhold: "+err.Error(), err)
		}
		return nil
	}
	return refusal(op, response, text)
}

func refusal(op operation, response *http.Response, text []byte) *APIError {
	var body struct {
		Error struct {
			Status, Reason, Message, RequestID string
			Details                            json.RawMessage
		}
	}
	failure := &APIError{Operation: op.name}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		failure.retryAfter = time.Duration(seconds) * time.Second
	}
	if err := json.Unmarshal(text, &body); err != nil || body.Error.Status == "" {
		failure.Status, failure.Reason = "INTERNAL", "not_commonhold"
		if response.StatusCode == http.StatusBadGateway || response.StatusCode == http.StatusServiceUnavailable ||
			response.StatusCode == http.StatusGatewayTimeout {
			failure.Status = "UNAVAILABLE" // a gateway in front of the server
		}
		failure.Message = "the response is not that of Commonhold: " + response.Status
		return failure
	}
	failure.Status, failure.Reason, failure.Message = body.Error.Status, body.Error.Reason, body.Error.Message
	failure.Details, failure.RequestID = body.Error.Details, body.Error.RequestID
	return failure
}
