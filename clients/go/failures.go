package commonhold

// Why a call failed.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// APIError is a call that failed.
type APIError struct {
	// Operation is the name of the call in the reference, such as "documents.add".
	Operation string
	// Status and Reason are for programs, Message is for people. Without a response of the server, Reason is
	// "unreachable", "timed_out", "canceled", "credentials_unavailable", "gateway_failed", "not_commonhold" or
	// "answer_unreadable"; with the last, a change may have been made.
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

// endedBy returns the failure of a call whose context ended: errors.Is finds context.Canceled or
// context.DeadlineExceeded, and errors.As finds what the last attempt failed with.
func (e *APIError) endedBy(ctx context.Context) *APIError {
	status, reason := "CANCELLED", "canceled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		status, reason = "DEADLINE_EXCEEDED", "timed_out"
	}
	return &APIError{
		Operation: e.Operation, Status: status, Reason: reason, RequestID: e.RequestID,
		Message: "the context ended: " + e.Message, cause: errors.Join(ctx.Err(), e),
	}
}

func refusal(op operation, response *http.Response, text []byte) *APIError {
	var body struct {
		Error struct {
			Status, Reason, Message, RequestID string
			Details                            json.RawMessage
		}
	}
	failure := &APIError{Operation: op.name}
	failure.retryAfter = retryAfterOf(response)
	if err := json.Unmarshal(text, &body); err != nil || body.Error.Status == "" {
		failure.Status, failure.Reason, failure.Message = ofGateway(response.StatusCode)
		failure.Message += ": " + response.Status
		return failure
	}
	failure.Status, failure.Reason, failure.Message = body.Error.Status, body.Error.Reason, body.Error.Message
	failure.Details, failure.RequestID = body.Error.Details, body.Error.RequestID
	return failure
}

// ofGateway returns status, reason and message of a response that is not from Commonhold, but from a proxy in front of it
// or another program.
func ofGateway(code int) (status, reason, message string) {
	switch {
	case code == http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED", "rate_limited", "a gateway received too many requests"
	case code == http.StatusRequestEntityTooLarge:
		return "INVALID_ARGUMENT", "body_too_large", "a gateway does not accept a body this large"
	case code >= http.StatusInternalServerError:
		return "UNAVAILABLE", "gateway_failed", "a gateway failed; is the server behind it running?"
	}
	return "INTERNAL", "not_commonhold", "the response is not that of Commonhold"
}

// longestWait bounds what a server can ask for, in seconds; more would be no time.Duration.
const longestWait = 1 << 31

// retryAfterOf returns how long the server or a gateway asks to wait, with a number of seconds or the date of its end.
func retryAfterOf(response *http.Response) time.Duration {
	value := response.Header.Get("Retry-After")
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(max(seconds, 0), longestWait)) * time.Second
	}
	if end, err := http.ParseTime(value); err == nil {
		return max(time.Until(end), 0)
	}
	return 0
}

// unanswered is the failure of an attempt without a whole response.
func unanswered(fail func(status, reason, message string, cause error) *APIError, what string, err error) *APIError {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return fail("DEADLINE_EXCEEDED", "timed_out", what+" in time: "+err.Error(), err)
	}
	return fail("UNAVAILABLE", "unreachable", what+": "+err.Error()+". Is the server running, and is the url right?", err)
}
