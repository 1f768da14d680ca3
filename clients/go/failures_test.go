package commonhold_test

// What calls fail with, and which are repeated, when a gateway responds, a connection breaks or a context ends.

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"commonhold"
)

const success = `{"result": {"status": "success", "message": "", "data": {}}}`

// handled returns a client of a server that handles the nth call so, from 1, and the number of its calls.
func handled(t *testing.T, handle func(nth int, w http.ResponseWriter), options ...commonhold.Option) (*commonhold.Client, *int) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		calls++
		handle(calls, w)
	}))
	t.Cleanup(server.Close)
	return must(commonhold.New(server.URL, commonhold.ForAPIKey("key", "token"), options...))(t), &calls
}

func add(ctx context.Context, client *commonhold.Client) error {
	_, err := client.DocumentsAdd(ctx, commonhold.DocumentsAddRequest{})
	return err
}

func TestGatewaysAreWaitedFor(t *testing.T) {
	for _, code := range []int{429, 500, 502, 503, 504} {
		client, calls := handled(t, func(nth int, w http.ResponseWriter) {
			if nth == 1 {
				w.WriteHeader(code)
				_, _ = w.Write([]byte("<html>"))
				return
			}
			_, _ = w.Write([]byte(success))
		})
		if err := add(context.Background(), client); err != nil || *calls != 2 {
			t.Error(code, *calls, err)
		}
	}
}

func TestOnlyAResultOfCommonholdIsASuccess(t *testing.T) {
	bodies := []string{`{}`, `null`, `[]`, `{"ok": true}`, `{"result": null}`, `{"result": {"data": {}}}`, `<html>`, ``,
		`{"error": {"status": "INTERNAL", "reason": "internal", "message": "No."}}`}
	for _, body := range bodies {
		client, calls := handled(t, func(_ int, w http.ResponseWriter) { _, _ = w.Write([]byte(body)) })
		if err := add(context.Background(), client); commonhold.Reason(err) != "not_commonhold" || *calls != 1 {
			t.Error(body, *calls, err)
		}
	}
}

func TestADateToRetryAfterIsWaitedFor(t *testing.T) {
	var end, again time.Time
	client, _ := handled(t, func(nth int, w http.ResponseWriter) {
		if nth == 1 {
			end = time.Now().Add(2 * time.Second).Truncate(time.Second)
			w.Header().Set("Retry-After", end.UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		again = time.Now()
		_, _ = w.Write([]byte(success))
	})
	if err := add(context.Background(), client); err != nil || again.Before(end) {
		t.Error(err, again, end)
	}
}

func TestLastingRefusalsAreNotRepeated(t *testing.T) {
	client, calls := handled(t, func(_ int, w http.ResponseWriter) {
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"error": {"status": "RESOURCE_EXHAUSTED", "reason": "too_many_folders", "message": "No."}}`))
	})
	if err := add(context.Background(), client); commonhold.Reason(err) != "too_many_folders" || *calls != 1 {
		t.Error(*calls, err)
	}
}

func TestATimeoutIsNotUnreachable(t *testing.T) {
	client, _ := handled(t, func(_ int, _ http.ResponseWriter) { time.Sleep(300 * time.Millisecond) },
		commonhold.WithHTTPClient(&http.Client{Timeout: 50 * time.Millisecond}), commonhold.WithTries(1))
	var failure *commonhold.APIError
	if err := add(context.Background(), client); !errors.As(err, &failure) || failure.Status != "DEADLINE_EXCEEDED" || failure.Reason != "timed_out" {
		t.Error(err)
	}
}

func TestACancelledContextIsFound(t *testing.T) {
	for _, waits := range []bool{true, false} {
		ctx, cancel := context.WithCancel(context.Background())
		client, calls := handled(t, func(_ int, w http.ResponseWriter) {
			time.AfterFunc(50*time.Millisecond, cancel)
			if !waits {
				time.Sleep(300 * time.Millisecond)
				return
			}
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		if err := add(ctx, client); !errors.Is(err, context.Canceled) || commonhold.Reason(err) != "canceled" || *calls != 1 {
			t.Error(waits, *calls, err)
		}
	}
}

func TestACallDoesNotWaitPastItsContext(t *testing.T) {
	bounded, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for _, ctx := range []context.Context{bounded, context.Background()} {
		client, calls := handled(t, func(_ int, w http.ResponseWriter) {
			w.Header().Set("Retry-After", "86400")
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		err := add(ctx, client)
		if commonhold.Reason(err) != "gateway_failed" || *calls != 1 || !strings.Contains(err.Error(), "503") {
			t.Error(*calls, err)
		}
	}
}
